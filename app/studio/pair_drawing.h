// One pair as a drawing: a pin at the rim of its roller, in the roller's frame; a wheel on the face of a shoe, in the
// shoe's; a pad's corner at the ground.
#pragma once

#include <QWidget>

#include "app/studio/pair_state.h"

class QPainter;

namespace mw::app {

class PairDrawing : public QWidget {
    Q_OBJECT
public:
    explicit PairDrawing(QWidget* parent = nullptr);
    void show(const PairState& pair);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Window;
    void drawPin(QPainter& p, const Window& w) const;
    void drawFace(QPainter& p, const Window& w) const;
    void drawGround(QPainter& p, const Window& w) const;
    void drawForces(QPainter& p, const QPointF& at, const QPointF& normal, const QPointF& along) const;
    PairState pair_;
};

}  // namespace mw::app
