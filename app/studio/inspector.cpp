// Builds the card of the selected item. Written values come from the Model of the text, live ones from the newest
// snapshot, so a number is always of the state that is drawn. Every number has unit, frame and point of reference in
// its row or tip.
#include "app/studio/inspector.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <cmath>

#include "app/studio/dock.h"
#include "app/studio/icons.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

QString num(double value, int digits = 4) {
    if (value != 0 && std::abs(value) < 1e-12) value = 0;
    QString text = QString::number(value, 'g', digits);
    return text;
}

/// Ten characters, so that columns stay columns.
QString fixed(double value) {
    if (!std::isfinite(value)) return "   invalid";
    const double size = std::abs(value);
    if (size == 0 || (size >= 1e-3 && size < 1e5))
        return QString("%1").arg(size == 0 ? 0.0 : value, 10, 'f', size < 1e3 ? 4 : 2);
    return QString("%1").arg(value, 10, 'e', 2);
}

QString triple(const double* v, const char* unit) { return fixed(v[0]) + fixed(v[1]) + fixed(v[2]) + " " + unit; }

QString triple(const Number3& n, const char* unit) {
    return num(n[0].value) + "  " + num(n[1].value) + "  " + num(n[2].value) + " " + unit;
}

QString degrees(double radians) {
    return QString("%1 rad  %2°").arg(fixed(radians)).arg(radians * 180 / M_PI, 0, 'f', 2);
}

constexpr int kLongName = 16;

}  // namespace

Inspector::Inspector(Workbench& bench, QWidget* parent) : QScrollArea(parent), bench_(bench) {
    setObjectName("inspector");
    setAccessibleName(tr("Inspector"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMinimumWidth(240);
    auto again = [this] {
        signature_.clear();
        rebuild();
    };
    connect(&bench_, &Workbench::selectionChanged, this, again);
    connect(&bench_, &Workbench::builtChanged, this, again);
    connect(&bench_, &Workbench::documentChanged, this, &Inspector::rebuild);
    connect(&bench_, &Workbench::snapshotChanged, this, &Inspector::refresh);
    connect(&Style::get(), &Style::changed, this, again);
    rebuild();
}

void Inspector::section(const QString& title) {
    if (next_ > 0) {
        auto* line = thinLine(page_);
        grid_->addWidget(line, next_++, 0, 1, 2);
    }
    auto* label = roleLabel(title, "head", page_);
    label->setContentsMargins(0, px(6), 0, px(2));
    grid_->addWidget(label, next_++, 0, 1, 2);
}

void Inspector::row(const QString& name, const QString& value, const QString& tip) {
    if (name.isEmpty()) {  // a sentence of its own
        auto* text = roleLabel(value, "secondary", page_);
        text->setWordWrap(true);
        text->setToolTip(tip);
        grid_->addWidget(text, next_++, 0, 1, 2);
        return;
    }
    auto* left = roleLabel(name, "secondary", page_);
    auto* right = new QLabel(value, page_);
    right->setWordWrap(true);
    right->setTextInteractionFlags(Qt::TextSelectableByMouse);
    right->setFocusPolicy(Qt::NoFocus);
    left->setToolTip(tip);
    right->setToolTip(tip);
    left->setAlignment(Qt::AlignTop);
    grid_->addWidget(left, next_, 0);
    grid_->addWidget(right, next_, 1);
    ++next_;
}

void Inspector::liveRow(const QString& name, std::function<QString()> value, const QString& tip) {
    auto* left = roleLabel(name, "secondary", page_);
    auto* right = new QLabel(page_);
    right->setFont(Style::get().monoFont());
    right->setTextInteractionFlags(Qt::TextSelectableByMouse);
    right->setFocusPolicy(Qt::NoFocus);
    left->setToolTip(tip);
    right->setToolTip(tip);
    left->setAlignment(Qt::AlignTop);
    left->setWordWrap(name.size() > kLongName);  // long names leave the numbers their room
    const bool wide = name.isEmpty();
    if (wide) delete left;
    grid_->addWidget(right, next_, wide ? 0 : 1, 1, wide ? 2 : 1);
    if (!wide) grid_->addWidget(left, next_, 0);
    ++next_;
    live_.push_back({wide ? nullptr : left, right, std::move(value)});
}

void Inspector::rebuild() {
    const Item item = bench_.selected();
    const QString signature = QString::fromStdString(item.kind + " " + item.name) +
                              QString::number(bench_.document().textHash().low, 16) +
                              QString::number(bench_.document().read().ok());
    if (signature == signature_) return;
    signature_ = signature;
    // An edit of what is selected leaves the card where it was scrolled to.
    const int scrolled = item == shown_ ? verticalScrollBar()->value() : 0;
    shown_ = item;
    live_.clear();
    next_ = 0;
    page_ = new QWidget;
    page_->setProperty("role", "panel");
    page_->setAttribute(Qt::WA_StyledBackground);
    grid_ = new QGridLayout(page_);
    grid_->setContentsMargins(px(14), px(8), px(12), px(12));
    grid_->setHorizontalSpacing(px(10));
    grid_->setVerticalSpacing(px(5));
    grid_->setColumnMinimumWidth(0, px(84));
    grid_->setColumnStretch(1, 1);
    if (item.kind.empty() || !bench_.model()) showNothing();
    else if (item.kind == "body") showBody(item);
    else if (item.kind == "loop") showLoop(item);
    else if (item.kind == "track") showTrack(item);
    else if (item.kind == "ground") showGround(item);
    else if (item.kind == "contact") showContact(item);
    else if (item.kind == "tendon") showTendon(item);
    else if (item.kind == "coupling") showCoupling(item);
    else if (item.kind == "material") showMaterial(item);
    else showElement(item);
    grid_->setRowStretch(next_, 1);
    setWidget(page_);
    if (scrolled > 0) QTimer::singleShot(0, page_, [this, scrolled] { verticalScrollBar()->setValue(scrolled); });
    drawn_at_.invalidate();
    const bool shoe = item.kind == "body" && writtenItem(item) != item;
    emit note(shoe ? tr("shoe") : QString::fromStdString(item.kind == item.name ? std::string() : item.kind));
    refresh();
}

void Inspector::refresh() {
    if (!bench_.snapshot() || !isVisible()) return;
    if (bench_.snapshot()->run == RunState::running && drawn_at_.isValid() && drawn_at_.elapsed() < 100) return;
    drawn_at_.start();
    for (const Row& r : live_) {
        const QString text = r.live();
        if (r.value->text() != text) r.value->setText(text);
    }
}

void Inspector::showNothing() {
    const Model* model = bench_.model();
    if (!model) {
        section(tr("Nothing to inspect yet"));
        row({}, tr("Open an example from the File menu, or type a mechanism on the left."));
        return;
    }
    const QString title = model->title.empty() ? QString::fromStdString(bench_.document().displayName())
                                               : QString::fromStdString(model->title);
    section(title);
    std::size_t shoes = 0;
    for (const Repeat& r : model->repeats) shoes += static_cast<std::size_t>(r.count) + 1;
    row(tr("bodies"), shoes ? tr("%1 · %2 with shoes").arg(model->bodies.size() - shoes).arg(model->bodies.size())
                            : QString::number(model->bodies.size()));
    if (!model->tracks.empty()) row(tr("bands"), QString::number(model->tracks.size()));
    row(tr("elements"), QString::number(model->tsdas.size() + model->rsdas.size()));
    row(tr("drives"), QString::number(model->drives.size()));
    if (!model->tendons.empty()) row(tr("tendons"), QString::number(model->tendons.size()));
    if (!model->couplings.empty()) row(tr("couplings"), QString::number(model->couplings.size()));
    if (const auto m = bench_.document().mobility()) {
        if (m->loops > 0) row(tr("loops"), QString::number(m->loops));
        row(tr("mobility"), QString::number(m->mobility()),
            tr("independent ways to move: nv - rank of the loops' rows"));
        if (m->loops > 0)
            row(tr("rows"), tr("nc %1 · rank %2").arg(m->nc).arg(m->rank),
                tr("rows that the loops add, and how many of them are independent"));
    }
    row(tr("gravity"), triple(model->gravity, "m/s²"), tr("base axes"));
    section(tr("Energy"));
    auto read = [this] { return bench_.snapshot(); };
    liveRow(
        tr("kinetic"), [read] { return fixed(read()->readings.energy.kinetic) + " J"; },
        tr("of all bodies, armature included"));
    liveRow(
        tr("gravity"), [read] { return fixed(read()->readings.energy.gravity) + " J"; }, tr("zero at the base origin"));
    liveRow(
        tr("elastic"), [read] { return fixed(read()->readings.energy.elements()) + " J"; }, tr("of all springs"));
    if (!model->tendons.empty())
        liveRow(
            tr("tendons"), [read] { return fixed(read()->readings.tendon_energy) + " J"; },
            tr("of their springs, muscles and armatures"));
    liveRow(
        tr("residual"), [read] { return fixed(read()->readings.residual) + " J"; },
        tr("energy + dissipated - work done - energy at the start: the error of the integration"));
    section(tr("Momentum, base axes"));
    row({}, tr("linear, kg m/s"));
    liveRow({}, [read] { return triple(read()->readings.momenta.linear.data(), ""); });
    row({}, tr("angular about the base origin, kg m²/s"));
    liveRow({}, [read] { return triple(read()->readings.momenta.angular.data(), ""); });
}

void Inspector::showBody(const Item& item) {
    const Model* model = bench_.model();
    section(QString::fromStdString(shownName(item)));
    if (item.name == "base") {
        row({}, tr("The world. It does not move; all numbers marked \"base\" are in its axes."));
        row(tr("gravity"), triple(model->gravity, "m/s²"), tr("base axes"));
        return;
    }
    const int index = modelIndex(*model, item);
    if (index < 0) {
        row({}, tr("The present text has errors; this body is not in the last good mechanism."));
        return;
    }
    const Body& body = model->bodies[static_cast<std::size_t>(index)];
    const QString parent =
        body.parent == kBase
            ? tr("base")
            : QString::fromStdString(shownName({"body", model->bodies[static_cast<std::size_t>(body.parent)].name}));
    if (const Item written = writtenItem(item); written != item)
        row(tr("track"), QString::fromStdString(written.name), tr("what the text has of it"));
    row(tr("parent"), parent);
    row(tr("joint"), QString::fromLatin1(jointTypeName(body.joint.type)));
    row(tr("at"), triple(body.at, "m"), tr("joint frame in the parent's axes"));
    row(tr("rot"), triple(body.rot, "rad"), tr("roll, pitch, yaw of the joint frame in the parent"));
    row(tr("mass"), num(body.mass.value) + " kg");
    row(tr("cg"), triple(body.cg, "m"), tr("centre of mass, body axes"));
    row(tr("inertia"),
        num(body.inertia[0].value) + "  " + num(body.inertia[1].value) + "  " + num(body.inertia[2].value) + "  " +
            num(body.inertia[3].value) + "  " + num(body.inertia[4].value) + "  " + num(body.inertia[5].value) +
            " kg m²",
        tr("Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass, body axes"));

    // Live numbers come from the mechanism that runs, which may be older than a broken text.
    const std::string name = body.name;
    auto locate = [this, name]() -> std::pair<std::shared_ptr<const Snapshot>, int> {
        const auto s = bench_.snapshot();
        return {s, s && s->model ? s->model->findBody(name) : -2};
    };
    auto of = [locate](auto&& make) {
        return [locate, make]() -> QString {
            const auto [s, i] = locate();
            if (!s || i < 0) return "not computed";
            return make(*s, static_cast<std::size_t>(i));
        };
    };
    section(tr("Joint"));
    const auto snapshot = bench_.snapshot();
    const Layout layout = layoutOf(*model);
    const int nq = jointNq(body.joint.type), nv = jointNv(body.joint.type);
    const bool angle = body.joint.type == JointType::revolute || body.joint.type == JointType::screw;
    for (int k = 0; k < nq; ++k) {
        const auto label =
            nq == 1
                ? tr("q")
                : QString::fromStdString(
                      layout.q_names[static_cast<std::size_t>(layout.q_of_body[static_cast<std::size_t>(index)] + k)])
                      .section('.', -1);
        liveRow(label, of([k, angle](const Snapshot& s, std::size_t i) {
                    const Layout l = layoutOf(*s.model);
                    const double q = s.state.q[static_cast<std::size_t>(l.q_of_body[i] + k)];
                    return angle ? degrees(q) : fixed(q);
                }));
    }
    for (int k = 0; k < nv; ++k) {
        const auto label =
            nv == 1
                ? tr("v")
                : QString::fromStdString(
                      layout.v_names[static_cast<std::size_t>(layout.v_of_body[static_cast<std::size_t>(index)] + k)])
                      .section('.', -1);
        liveRow(label, of([k](const Snapshot& s, std::size_t i) {
                    const Layout l = layoutOf(*s.model);
                    return fixed(s.state.v[static_cast<std::size_t>(l.v_of_body[i] + k)]);
                }),
                tr("velocity of the joint"));
        liveRow("d" + label + "/dt", of([k](const Snapshot& s, std::size_t i) {
                    const Layout l = layoutOf(*s.model);
                    const auto v = static_cast<std::size_t>(l.v_of_body[i] + k);
                    return v < s.readings.vdot.size() ? fixed(s.readings.vdot[v]) : QString("not computed");
                }),
                tr("its rate of change: the plain derivative of the number above"));
    }
    section(tr("Pose of the body origin, base axes"));
    liveRow({}, of([](const Snapshot& s, std::size_t i) { return triple(&s.readings.X[12 * i + 9], "m"); }),
            tr("position"));
    liveRow({}, of([](const Snapshot& s, std::size_t i) { return triple(&s.readings.X[12 * i], ""); }),
            tr("rotation matrix, body to base, row 1"));
    liveRow({}, of([](const Snapshot& s, std::size_t i) { return triple(&s.readings.X[12 * i + 3], ""); }),
            tr("row 2"));
    liveRow({}, of([](const Snapshot& s, std::size_t i) { return triple(&s.readings.X[12 * i + 6], ""); }),
            tr("row 3"));
    section(tr("Velocity, base axes"));
    liveRow({}, of([](const Snapshot& s, std::size_t i) { return triple(&s.readings.V[6 * i + 3], "m/s"); }),
            tr("of the body origin"));
    liveRow({}, of([](const Snapshot& s, std::size_t i) { return triple(&s.readings.V[6 * i], "rad/s"); }),
            tr("angular velocity"));
}

void Inspector::showElement(const Item& item) {
    const Model* model = bench_.model();
    section(QString::fromStdString(item.name));
    const int index = modelIndex(*model, item);
    if (index < 0) {
        row({}, tr("Its numbers appear once the text has no errors."));
        return;
    }
    const auto i = static_cast<std::size_t>(index);
    auto bodyName = [&](int b) {
        return b < 0 ? tr("base") : QString::fromStdString(model->bodies[static_cast<std::size_t>(b)].name);
    };
    const std::string name = item.name, kind = item.kind;
    auto here = [this, kind, name](auto&& make) {
        return [this, kind, name, make]() -> QString {
            const auto s = bench_.snapshot();
            const int k = s && s->model ? modelIndex(*s->model, {kind, name}) : -1;
            return k < 0 ? QString("not computed") : make(*s, static_cast<std::size_t>(k));
        };
    };
    if (kind == "tsda") {
        const Tsda& e = model->tsdas[i];
        row(tr("from"), bodyName(e.from.body));
        row(tr("to"), bodyName(e.to.body));
        row(tr("k"), num(e.k.value) + " N/m");
        row(tr("c"), num(e.c.value) + " N s/m");
        row(tr("l0"), num(e.l0.value) + " m");
        section(tr("Now"));
        liveRow(tr("length"), here([](const Snapshot& s, std::size_t k) {
                    return fixed(s.readings.obs[static_cast<std::size_t>(layoutOf(*s.model).obs_of_tsda[k])]) + " m";
                }));
        liveRow(tr("rate"), here([](const Snapshot& s, std::size_t k) {
                    return fixed(s.readings.obs[static_cast<std::size_t>(layoutOf(*s.model).obs_of_tsda[k]) + 1]) +
                           " m/s";
                }));
        liveRow(tr("tension"),
                here([](const Snapshot& s, std::size_t k) { return fixed(s.readings.elements.tsda[k]) + " N"; }),
                tr("positive when it pulls its two points together; on both bodies, opposite"));
        liveRow(tr("energy"),
                here([](const Snapshot& s, std::size_t k) { return fixed(s.readings.energy.tsda[k]) + " J"; }),
                tr("zero at l0"));
    } else if (kind == "rsda") {
        const Rsda& e = model->rsdas[i];
        row(tr("joint"), bodyName(e.body));
        row(tr("k"), num(e.k.value) + " N m/rad");
        row(tr("c"), num(e.c.value) + " N m s/rad");
        row(tr("q0"), num(e.q0.value) + " rad");
        section(tr("Now"));
        liveRow(tr("angle"), here([](const Snapshot& s, std::size_t k) {
                    return fixed(s.readings.obs[static_cast<std::size_t>(layoutOf(*s.model).obs_of_rsda[k])]) + " rad";
                }));
        liveRow(tr("torque"),
                here([](const Snapshot& s, std::size_t k) { return fixed(s.readings.elements.rsda[k]) + " N m"; }),
                tr("on the joint, about its axis"));
        liveRow(tr("energy"),
                here([](const Snapshot& s, std::size_t k) { return fixed(s.readings.energy.rsda[k]) + " J"; }),
                tr("zero at q0"));
    } else if (kind == "drive") {
        const Drive& d = model->drives[i];
        row(tr("joint"), bodyName(d.body));
        section(tr("Now"));
        liveRow(tr("target"), here([](const Snapshot& s, std::size_t k) {
                    return k < s.readings.drive_target.size() ? fixed(s.readings.drive_target[k])
                                                              : QString("not computed");
                }));
        liveRow(tr("force"), here([](const Snapshot& s, std::size_t k) {
                    return k < s.readings.drive_force.size() ? fixed(s.readings.drive_force[k])
                                                             : QString("not computed");
                }),
                tr("on the joint, clipped to the drive's limit: N m of a turning joint, N of a sliding one"));
    } else if (kind == "poi") {
        const auto& p = model->points[i];
        row(tr("on"), bodyName(p.point.body));
        row(tr("at"), triple(p.point.at, "m"), tr("body axes"));
        section(tr("Now, base axes"));
        liveRow({}, here([](const Snapshot& s, std::size_t k) {
                    return triple(&s.readings.obs[static_cast<std::size_t>(layoutOf(*s.model).obs_of_point[k])], "m");
                }),
                tr("position"));
        liveRow({}, here([](const Snapshot& s, std::size_t k) {
                    return triple(&s.readings.obs[static_cast<std::size_t>(layoutOf(*s.model).obs_of_point[k]) + 3],
                                  "m/s");
                }),
                tr("velocity"));
    } else if (kind == "shape") {
        const auto& s = model->shapes[i];
        row(tr("on"), bodyName(s.body));
        row(tr("at"), triple(s.at, "m"), tr("body axes"));
        row(tr("rot"), triple(s.rot, "rad"));
    } else if (kind == "param") {
        const auto& p = model->parameters[i];
        row(tr("value"), num(p.value, 8) + (p.unit.empty() ? QString() : " " + QString::fromStdString(p.unit)));
        if (p.range) row(tr("range"), num((*p.range)[0]) + " … " + num((*p.range)[1]));
        row(tr("kind"), p.live ? tr("live: moves the run at once") : tr("fixed when the equations are derived"));
    }
}

}  // namespace mw::app
