// Renders the icon set through Qt's SVG reader; colours are filled in when painted, so a change of theme needs no
// reload.
#include "app/studio/icons.h"

#include <QFile>
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>
#include <algorithm>

#include "app/studio/style.h"

namespace mw::app {
namespace {

QByteArray source(const QString& name) {
    static QHash<QString, QByteArray> files;
    auto it = files.find(name);
    if (it == files.end()) {
        QFile file(":/icons/" + name + ".svg");
        it = files.insert(name, file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray());
    }
    return *it;
}

void render(QPainter& painter, const QString& name, const QColor& color, const QRectF& rect) {
    QByteArray svg = source(name);
    svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
    QSvgRenderer renderer(svg);
    renderer.render(&painter, rect);
}

class ThemedIcon : public QIconEngine {
public:
    explicit ThemedIcon(QString name) : name_(std::move(name)) {}
    QIconEngine* clone() const override { return new ThemedIcon(name_); }
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        QColor color = tokens().text;
        if (state == QIcon::On || mode == QIcon::Selected) color = tokens().accent;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (mode == QIcon::Disabled) painter->setOpacity(0.35);
        const double side = std::min(rect.width(), rect.height());
        render(*painter, name_, color,
               QRectF(rect.center().x() + 0.5 - side / 2, rect.center().y() + 0.5 - side / 2, side, side));
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixels(size);
        pixels.fill(Qt::transparent);
        QPainter painter(&pixels);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return pixels;
    }

private:
    QString name_;
};

}  // namespace

QIcon icon(const QString& name) { return QIcon(new ThemedIcon(name)); }

QPixmap iconPixmap(const QString& name, const QColor& color, int size, double ratio) {
    const int side = static_cast<int>(size * ratio + 0.5);
    QPixmap pixels(side, side);
    pixels.fill(Qt::transparent);
    {
        QPainter painter(&pixels);
        painter.setRenderHint(QPainter::Antialiasing);
        render(painter, name, color, QRectF(0, 0, side, side));
    }
    pixels.setDevicePixelRatio(ratio);
    return pixels;
}

QString jointIcon(JointType type) { return QString::fromLatin1(jointTypeName(type)); }

}  // namespace mw::app
