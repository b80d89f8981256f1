// A lesson beside the view: what the mechanism is, what is assumed, the conventions of its joints, and its equations of
// motion with the numbers of this instant, which can be hidden and revealed; below, the code that computes them.
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <memory>
#include <vector>

#include "engine/kernel/kernel.h"

class QLabel;
class QPushButton;

namespace mw::app {

class Workbench;
struct Built;

class TeachPage : public QWidget {
    Q_OBJECT
public:
    explicit TeachPage(Workbench& bench, QWidget* parent = nullptr);

signals:
    void note(const QString& text);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void rewrite();
    void fitSentences();
    void refresh(bool at_once);
    QString value(double number) const;
    QString matrixText(const Built& built, int row) const;

    Workbench& bench_;
    QLabel *words_, *numbers_, *conventions_;
    QPushButton* reveal_;
    bool hidden_ = false;
    std::shared_ptr<const Built> shown_;
    const mw_kernel* prepared_for_ = nullptr;
    std::vector<double> work_, M_, c_, K_;
    QElapsedTimer drawn_at_;
};

}  // namespace mw::app
