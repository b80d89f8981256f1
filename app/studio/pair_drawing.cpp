// Painted in metres around a middle that does not move with the pin, so that the pin is seen to move.
#include "app/studio/pair_drawing.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "app/studio/style.h"

namespace mw::app {
namespace {

QColor qt(const scene::Color& c) { return QColor::fromRgbF(c.r, c.g, c.b, c.a); }

QColor stateColor(ContactState state) {
    const auto q = state == ContactState::stick  ? scene::Quantity::contact_stick
                   : state == ContactState::slip ? scene::Quantity::contact_slip
                                                 : scene::Quantity::contact_open;
    return Style::get().quantity(q);
}

QColor faint(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

void arrow(QPainter& p, const QPointF& from, const QPointF& to, const QColor& color) {
    const QPointF d = to - from;
    const double length = std::hypot(d.x(), d.y());
    if (length < px(3)) return;
    const QPointF e = d / length, n(-e.y(), e.x());
    const double head = std::min<double>(px(8), length);
    p.setPen(QPen(color, px(2.5), Qt::SolidLine, Qt::FlatCap));
    p.drawLine(from, to - e * head * 0.8);
    p.setPen(Qt::NoPen);
    p.setBrush(color);
    p.drawPolygon(QPolygonF({to, to - e * head + n * head * 0.45, to - e * head - n * head * 0.45}));
}

}  // namespace

/// What part of the plane is shown: x right, z up, m.
struct PairDrawing::Window {
    QPointF middle;
    double scale = 1;  ///< px/m
    QRectF area;
    QPointF operator()(double x, double z) const {
        return {area.center().x() + (x - middle.x()) * scale, area.center().y() - (z - middle.y()) * scale};
    }
};

PairDrawing::PairDrawing(QWidget* parent) : QWidget(parent) {
    setObjectName("pair.drawing");
    setAccessibleName(tr("Drawing of the pair"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void PairDrawing::show(const PairState& pair) {
    pair_ = pair;
    update();
}

void PairDrawing::paintEvent(QPaintEvent*) {
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Tokens& t = tokens();
    p.fillRect(rect(), t.panel);
    Window w;
    w.area = QRectF(rect()).adjusted(px(8), px(6), -px(8), -px(6));
    QPainterPath frame;
    frame.addRoundedRect(w.area, px(6), px(6));
    p.setPen(Qt::NoPen);
    p.setBrush(t.window);
    p.drawPath(frame);
    p.save();
    p.setClipPath(frame);
    const double link = std::max(pair_.link, 1e-3);
    QString where;
    switch (pair_.kind) {
        case PairState::Kind::pin: {
            const double rho = std::max(1e-9, std::hypot(pair_.at[0], pair_.at[2]));
            w.middle = {pair_.at[0] / rho * pair_.pin.radius, pair_.at[2] / rho * pair_.pin.radius};
            // The whole roller where the pin is far from it.
            const bool far = pair_.depth < -0.7 * link;
            if (far) w.middle = {pair_.at[0] / 2, pair_.at[2] / 2};
            const double wide = far ? rho / 2 + pair_.pin.radius * 1.1 : link;
            w.scale = std::min(w.area.width() / 2 / wide, w.area.height() / 2 / (far ? wide : 0.62 * link));
            drawPin(p, w);
            where = tr("roller's frame, x z");
            break;
        }
        case PairState::Kind::face: {
            w.middle = {link / 2, pair_.face.face_z + 0.12 * link};
            const bool far = pair_.depth < -0.7 * link || std::abs(pair_.at[0] - link / 2) > 1.2 * link;
            if (far) w.middle = {(link / 2 + pair_.at[0]) / 2, (pair_.face.face_z + pair_.at[2]) / 2};
            const double out =
                std::max(std::abs(pair_.at[0] - link / 2), std::abs(pair_.at[2] - pair_.face.face_z)) / 2 +
                pair_.face.radius * 1.1;
            const double wide = far ? out : 0.95 * link;
            w.scale = std::min(w.area.width() / 2 / wide, w.area.height() / 2 / (far ? wide : 0.5 * link));
            drawFace(p, w);
            where = tr("shoe's frame, x z");
            break;
        }
        case PairState::Kind::ground:
            w.middle = {pair_.at[0], pair_.height + 0.1 * link};
            w.scale = std::min(w.area.width() / 2 / link, w.area.height() / 2 / (0.5 * link));
            drawGround(p, w);
            where = tr("base axes, x z");
            break;
    }
    p.restore();
    p.setFont(Style::get().interfaceFont(11));
    p.setPen(t.secondary);
    const QRectF text = w.area.adjusted(px(8), px(5), -px(8), -px(5));
    p.drawText(text, Qt::AlignLeft | Qt::AlignTop, where);
    // The scale: a bar of a round length.
    double bar = 1e-3;
    for (const double length : {0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0})
        if (length * w.scale < w.area.width() * 0.28) bar = length;
    const QString said = bar < 0.1 ? tr("%1 mm").arg(bar * 1e3) : tr("%1 m").arg(bar);
    const QPointF end = text.bottomRight();
    p.drawText(QRectF(text.left(), text.top(), text.width(), text.height() - px(4)), Qt::AlignRight | Qt::AlignBottom,
               said);
    p.setPen(QPen(t.secondary, px(1.5)));
    p.drawLine(QPointF(end.x() - bar * w.scale, end.y()), end);
}

// Both on one scale, the longer one a third of the height.
void PairDrawing::drawForces(QPainter& p, const QPointF& at, const QPointF& normal, const QPointF& along) const {
    const double most = std::max(pair_.normal, pair_.tangential);
    if (!(most > 0)) return;
    const double length = std::min(height(), width()) / 3.0;
    arrow(p, at, at + along * (length * pair_.tangential / most), Style::get().quantity(scene::Quantity::friction));
    arrow(p, at, at + normal * (length * pair_.normal / most), Style::get().quantity(scene::Quantity::normal));
}

void PairDrawing::drawPin(QPainter& p, const Window& w) const {
    const Tokens& t = tokens();
    const PinLaw& law = pair_.pin;
    const QPointF axle = w(0, 0);
    const double r = law.radius * w.scale, gate = (law.radius + law.gate) * w.scale;
    p.setPen(QPen(t.secondary, px(1), Qt::DashLine));
    p.setBrush(Qt::NoBrush);
    p.drawEllipse(axle, gate, gate);
    QPainterPath body;
    body.addEllipse(axle, r, r);
    const double pitch = law.teeth > 0 ? 2 * M_PI / law.teeth : 0;
    const double first = std::atan2(law.pocket_sine, law.pocket_cosine) / std::max(1, law.teeth);
    for (int k = 0; k < law.teeth; ++k) {
        const double theta = first + k * pitch, size = std::min(0.16 * pitch * law.radius, 0.35 * law.gate + 0.006);
        QPainterPath pocket;
        pocket.addEllipse(w(-law.radius * std::sin(theta), -law.radius * std::cos(theta)), size * w.scale,
                          size * w.scale);
        body = body.subtracted(pocket);
    }
    p.setPen(QPen(t.text, px(1.25)));
    p.setBrush(t.raised);
    p.drawPath(body);
    p.setPen(QPen(t.secondary, px(1)));
    p.drawLine(axle - QPointF(px(5), 0), axle + QPointF(px(5), 0));
    p.drawLine(axle - QPointF(0, px(5)), axle + QPointF(0, px(5)));
    // The shoe and those beside it, from pin to pin.
    const QPointF here = w(pair_.at[0], pair_.at[2]), next = w(pair_.next[0], pair_.next[2]),
                  before = w(pair_.before[0], pair_.before[2]);
    const QColor shoe = qt(Style::get().theme().shoe);
    p.setPen(QPen(faint(shoe, 0.5), px(5), Qt::SolidLine, Qt::RoundCap));
    p.drawLine(before, here);
    p.setPen(QPen(shoe, px(5), Qt::SolidLine, Qt::RoundCap));
    p.drawLine(here, next);
    p.setPen(QPen(t.text, px(1)));
    p.setBrush(faint(shoe, 0.9));
    for (const QPointF& pin : {before, next}) p.drawEllipse(pin, px(4), px(4));
    const double rho = std::max(1e-9, std::hypot(pair_.at[0], pair_.at[2]));
    const QPointF e(pair_.at[0] / rho, -pair_.at[2] / rho);
    // Along +theta (d_z, -d_x) / rho; a tooth pulls back to its pocket, friction against the slip.
    const double turn = law.teeth > 0 ? (pair_.tooth_angle > 0 ? -1 : 1)
                                      : (pair_.at[2] * pair_.u[0] - pair_.at[0] * pair_.u[2] > 0 ? -1 : 1);
    // On the screen z is up: (x, z) is (x, -y). Theta grows about +y from -z, towards -x.
    drawForces(p, here, e, QPointF(turn * pair_.at[2] / rho, turn * pair_.at[0] / rho));
    p.setPen(QPen(stateColor(pair_.state), px(2)));
    p.setBrush(shoe);
    p.drawEllipse(here, px(5.5), px(5.5));
}

void PairDrawing::drawFace(QPainter& p, const Window& w) const {
    const Tokens& t = tokens();
    const FaceLaw& law = pair_.face;
    const QColor shoe = qt(Style::get().theme().shoe);
    // This shoe's plate from pad to face, those beside it in outline.
    const double low = std::min(pair_.pad_z, law.face_z - 0.01);
    for (const int n : {-1, 1}) {
        p.setPen(QPen(faint(t.secondary, 0.7), px(1), Qt::DashLine));
        p.setBrush(Qt::NoBrush);
        p.drawRect(QRectF(w(n * law.link, law.face_z), w((n + 1) * law.link, low)));
    }
    p.setPen(QPen(t.text, px(1)));
    p.setBrush(faint(shoe, 0.55));
    p.drawRect(QRectF(w(0, law.face_z), w(law.link, low)));
    // Where its weight fades into the neighbour's.
    p.setPen(Qt::NoPen);
    p.setBrush(faint(t.accent, 0.22));
    for (const double joint : {0.0, law.link})
        p.drawRect(QRectF(w(joint - law.fade, law.face_z + 0.03 * law.link), w(joint + law.fade, law.face_z)));
    p.setPen(QPen(t.text, px(1)));
    p.setBrush(shoe);
    for (const double pin : {0.0, law.link}) p.drawEllipse(w(pin, 0), px(4), px(4));
    // The wheel
    const QPointF axle = w(pair_.at[0], pair_.at[2]);
    p.setPen(QPen(t.text, px(1.5)));
    p.setBrush(faint(t.secondary, 0.18));
    p.drawEllipse(axle, law.radius * w.scale, law.radius * w.scale);
    const QPointF foot = w(pair_.at[0], law.face_z);
    p.setPen(QPen(t.secondary, px(1), Qt::DashLine));
    p.drawLine(axle, foot);
    if (pair_.normal > 0) drawForces(p, foot, {0, 1}, {pair_.u_foot[0] > 0 ? 1.0 : -1.0, 0});
    p.setPen(QPen(stateColor(pair_.state), px(2)));
    p.setBrush(t.panel);
    p.drawEllipse(foot, px(4), px(4));
}

void PairDrawing::drawGround(QPainter& p, const Window& w) const {
    const Tokens& t = tokens();
    const double reach = w.area.width() / w.scale, x = pair_.at[0];
    QPolygonF ground({w(x - reach, pair_.height - reach * pair_.slope_x),
                      w(x + reach, pair_.height + reach * pair_.slope_x), w(x + reach, pair_.height - 3 * reach),
                      w(x - reach, pair_.height - 3 * reach)});
    p.setPen(QPen(t.text, px(1.25)));
    p.setBrush(faint(qt(Style::get().theme().terrain), 0.6));
    p.drawPolygon(ground);
    const QPointF corner = w(x, pair_.at[2]);
    p.setPen(QPen(qt(Style::get().theme().shoe), px(6), Qt::SolidLine, Qt::FlatCap));
    p.drawLine(corner - QPointF(0, px(3)), w(pair_.pad_end[0], pair_.pad_end[2]) - QPointF(0, px(3)));
    const double up = std::hypot(1, pair_.slope_x);
    const QPointF normal(-pair_.slope_x / up, -1 / up);
    const double turn = pair_.u[0] > 0 ? -1 : 1;
    drawForces(p, corner, normal, QPointF(turn / up, -turn * pair_.slope_x / up));
    p.setPen(QPen(stateColor(pair_.state), px(2)));
    p.setBrush(t.panel);
    p.drawEllipse(corner, px(4), px(4));
}

}  // namespace mw::app
