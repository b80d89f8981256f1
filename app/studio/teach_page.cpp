// Words are written when the mechanism or the selection changes; numbers four times a second from the snapshot's state.
#include "app/studio/teach_page.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/studio/code_view.h"
#include "app/studio/dock.h"
#include "app/studio/style.h"
#include "app/studio/workbench.h"
#include "engine/model/layout.h"

namespace mw::app {
namespace {

constexpr int kWholeMatrix = 6;  // columns that fit beside the view; larger ones show the selected body's rows

struct Convention {
    const char *q, *v, *force;
};

Convention conventionOf(JointType type) {
    switch (type) {
        case JointType::fixed: return {"none", "none", "none"};
        case JointType::revolute: return {"angle about +axis, rad", "dq/dt, rad/s", "couple about +axis, N m"};
        case JointType::prismatic: return {"travel along +axis, m", "dq/dt, m/s", "force along +axis, N"};
        case JointType::cylindrical: return {"angle, then travel, same axis", "dq/dt", "couple, then force"};
        case JointType::screw: return {"angle, rad; travels pitch × q", "dq/dt, rad/s", "couple + pitch × force"};
        case JointType::universal:
            return {"angle about axis 1, then axis 2 carried by it", "dq/dt, rad/s", "couples, conjugate"};
        case JointType::planar: return {"x, y in the plane, then the angle", "dq/dt", "forces, then couple"};
        case JointType::spherical:
            return {"unit quaternion w x y z, body to joint frame", "angular velocity, body axes", "couple, body axes"};
        case JointType::floating:
            return {"unit quaternion, then position, base axes", "[ω; v of the origin], body axes",
                    "[moment about the origin; force], body axes"};
    }
    return {"", "", ""};
}

/// Short, so that rows of them fit beside the view; a minus that no line breaks after.
QString number(double x) {
    if (!std::isfinite(x)) return "not a number";
    const double a = std::abs(x);
    QString text = a < 5e-13  ? QString("0")
                   : a < 1e-3 ? QString::number(x, 'e', 0)
                   : a < 10   ? QString::number(x, 'f', 3)
                   : a < 100  ? QString::number(x, 'f', 2)
                   : a < 1000 ? QString::number(x, 'f', 1)
                   : a < 1e6  ? QString::number(x, 'f', 0)
                              : QString::number(x, 'e', 2);
    return text.replace('-', QChar(0x2212));
}

QString head(const QString& text) { return QString("<p style='margin:10px 0 3px 0'><b>%1</b></p>").arg(text); }
QString esc(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

}  // namespace

TeachPage::TeachPage(Workbench& bench, QWidget* parent) : QWidget(parent), bench_(bench) {
    setObjectName("lesson");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* top = new QHBoxLayout;
    top->setContentsMargins(12, 6, 12, 4);
    auto* pages = new QStackedWidget(this);
    auto* group = new QButtonGroup(this);
    for (const QString& name : {tr("Equations"), tr("Code")}) {
        auto* button = new QPushButton(name, this);
        button->setObjectName(QString("lesson.page.%1").arg(group->buttons().size()));
        button->setProperty("segment", true);
        button->setCheckable(true);
        button->setChecked(group->buttons().isEmpty());
        group->addButton(button, static_cast<int>(group->buttons().size()));
        top->addWidget(button);
    }
    top->addStretch(1);
    reveal_ = new QPushButton(tr("Hide values"), this);
    reveal_->setObjectName("lesson.reveal");
    reveal_->setToolTip(tr("Hide the numbers for a class to find them, and reveal them again."));
    top->addWidget(reveal_);
    column->addLayout(top);
    auto* scroll = new QScrollArea(pages);
    scroll->setObjectName("lesson.scroll");
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    auto* page = new QWidget;
    page->setProperty("role", "panel");
    page->setAttribute(Qt::WA_StyledBackground);
    auto* lines = new QVBoxLayout(page);
    lines->setContentsMargins(px(14), px(4), px(14), px(12));
    const auto text = [&](const char* name) {
        auto* label = new QLabel(page);
        label->setObjectName(name);
        label->setTextFormat(Qt::RichText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignTop);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        label->setFocusPolicy(Qt::NoFocus);
        lines->addWidget(label);
        return label;
    };
    words_ = text("lesson.words");
    numbers_ = text("lesson.numbers");
    conventions_ = text("lesson.conventions");
    lines->addStretch(1);
    scroll->setWidget(page);
    pages->addWidget(scroll);
    pages->addWidget(new CodeView(bench_, "page"));
    column->addWidget(pages, 1);
    connect(group, &QButtonGroup::idClicked, this, [this, pages](int page) {
        pages->setCurrentIndex(page);
        reveal_->setVisible(page == 0);
    });
    connect(reveal_, &QPushButton::clicked, this, [this] {
        hidden_ = !hidden_;
        reveal_->setText(hidden_ ? tr("Reveal values") : tr("Hide values"));
        refresh(true);
    });
    connect(&bench_, &Workbench::builtChanged, this, &TeachPage::rewrite);
    connect(&bench_, &Workbench::selectionChanged, this, &TeachPage::rewrite);
    connect(&bench_, &Workbench::snapshotChanged, this, [this] { refresh(false); });
    connect(&Style::get(), &Style::changed, this, &TeachPage::rewrite);
    rewrite();
}

// Sentences keep within the page; only a wide matrix scrolls.
void TeachPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitSentences();
}

// Their height is that of their own width: the page may be wider.
void TeachPage::fitSentences() {
    const int wide = std::max(px(160), width() - px(40));
    for (QLabel* label : {words_, conventions_}) {
        label->setFixedWidth(wide);
        label->setFixedHeight(label->text().isEmpty() ? 0 : std::max(0, label->heightForWidth(wide)));
    }
}

void TeachPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    rewrite();
}

QString TeachPage::value(double x) const { return hidden_ ? QString("▒▒▒▒") : number(x); }

void TeachPage::rewrite() {
    if (!isVisible()) return;
    const auto built = bench_.built();
    reveal_->setEnabled(built != nullptr);
    if (!built) {
        words_->setText(tr("There is no mechanism yet. Open an example (Ctrl+Shift+O), or type one at the left."));
        numbers_->clear();
        conventions_->clear();
        fitSentences();
        return;
    }
    const Model& model = *built->model;
    const Layout layout = layoutOf(model);
    const QString quiet = tokens().secondary.name();
    QString s = head(model.title.empty() ? QString::fromStdString(bench_.document().displayName()).toHtmlEscaped()
                                         : esc(model.title));
    if (model.loops.empty())
        s += tr("A tree of %1 without loops: %2 coordinates q, %3 speeds v, so mobility %3.")
                 .arg(model.bodies.size() == 1 ? tr("one rigid body") : tr("%1 rigid bodies").arg(model.bodies.size()))
                 .arg(layout.nq)
                 .arg(layout.nv);
    else
        s +=
            tr("%1 rigid bodies: a tree of %2 coordinates q and %3 speeds v, closed by %4 with %5 independent rows, so "
               "mobility %3 - %5 = %6.")
                .arg(model.bodies.size())
                .arg(layout.nq)
                .arg(layout.nv)
                .arg(layout.nloop == 1 ? tr("one loop") : tr("%1 loops").arg(layout.nloop))
                .arg(layout.nc)
                .arg(layout.nv - layout.nc);

    s += head(tr("Assumed"));
    const bool rows = hasRows(model);
    const bool friction =
        std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return !b.joint_friction.isZero(); });
    QStringList assumed{friction ? tr("bodies are rigid; joints have no play and no mass; dry friction is the one that "
                                      "the text gives them")
                                 : tr("bodies are rigid; joints have no play, mass or friction of their own")};
    const Number3& g = model.gravity;
    if (g[0].value == 0 && g[1].value == 0 && g[2].value == 0) assumed << tr("no gravity");
    else
        assumed << tr("gravity is the same everywhere: (%1, %2, %3) m/s², base axes")
                       .arg(g[0].value, 0, 'g', 5)
                       .arg(g[1].value, 0, 'g', 5)
                       .arg(g[2].value, 0, 'g', 5);
    if (!model.tsdas.empty() || !model.rsdas.empty())
        assumed << tr("springs and dampers have no mass; tension is positive when it pulls");
    if (!model.drives.empty()) assumed << tr("drives act on their joint without delay, clipped to their limit");
    if (std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& b) { return b.limits.has_value(); }))
        assumed << tr("joint limits push back where they are reached, and never hold");
    if (!model.tendons.empty())
        assumed << tr("tendons have no mass and lie taut over their guides; a rope pulls, and does not push");
    if (std::any_of(model.shapes.begin(), model.shapes.end(), [](const Shape& x) { return x.material >= 0; }))
        assumed << tr("shapes with a material touch without yielding, and stick or slide by Coulomb's law");
    assumed << tr("SI units and radians; axes of the base are right-handed");
    s += "<ul style='margin:0 0 0 -22px'><li>" + assumed.join("</li><li>") + "</li></ul>";

    const int body = bodyOf(model, bench_.selected());
    QString table = head(tr("What q and v mean"));
    table += QString(
                 "<table cellspacing='0' cellpadding='2'><tr style='color:%1'><td>%2</td><td>q</td><td>v</td>"
                 "<td>%3</td></tr>")
                 .arg(quiet, tr("joint of"), tr("goes with"));
    std::vector<JointType> told;
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const JointType type = model.bodies[b].joint.type;
        const bool chosen = static_cast<int>(b) == body;
        const bool again = std::find(told.begin(), told.end(), type) != told.end();
        told.push_back(type);
        const Convention c = conventionOf(type);
        const QString name = chosen ? "<b>" + esc(model.bodies[b].name) + "</b>" : esc(model.bodies[b].name);
        table += QString("<tr><td>%1&nbsp;&nbsp;</td>").arg(name);
        if (again && !chosen)
            table += QString("<td colspan='3' style='color:%1'>%2, %3</td></tr>")
                         .arg(quiet, jointTypeName(type), tr("as above"));
        else table += QString("<td>%1&nbsp;</td><td>%2&nbsp;</td><td>%3</td></tr>").arg(c.q, c.v, c.force);
    }
    table += "</table>";
    conventions_->setText(table);

    s += head(tr("The equations of motion"));
    s += model.loops.empty() ? "<p style='margin:2px 0'><span style='font-size:large'>M(q) v̇ + c(q, v) = τ</span></p>"
                             : "<p style='margin:2px 0'><span style='font-size:large'>M(q) v̇ + c(q, v) = τ + K(q)ᵀ λ, "
                               "&nbsp;K v = 0</span></p>";
    s +=
        tr("M is the mass matrix of the tree, c what Coriolis, centrifugal and gravity forces ask for, and τ what "
           "springs, dampers and drives give the joints. Select a body to read its own rows.");
    if (rows)
        s += " " + tr("What tendons, contacts, limits and dry friction do is solved for in every step, in velocities: "
                      "v̇ and τ are averages over the last step and have their part in them.");
    if (!model.loops.empty())
        s += " " + tr("The rows of K say what the loops forbid, λ what it takes to forbid it; errors that remain decay "
                      "within some %1 s.")
                       .arg(model.stab, 0, 'g', 3);
    words_->setText(s);
    fitSentences();
    emit note(body >= 0 ? QString::fromStdString(model.bodies[static_cast<std::size_t>(body)].name) : QString());
    refresh(true);
}

QString TeachPage::matrixText(const Built& built, int body) const {
    const Model& model = *built.model;
    const Layout layout = layoutOf(model);
    const int n = layout.nv;
    const QString quiet = tokens().secondary.name();
    int first = 0, last = n;
    if (body >= 0 && n > kWholeMatrix) {
        first = layout.v_of_body[static_cast<std::size_t>(body)];
        last = first + jointNv(model.bodies[static_cast<std::size_t>(body)].joint.type);
    }
    const bool whole = n <= kWholeMatrix;
    QString s = QString(
                    "<table cellspacing='0' cellpadding='2' "
                    "style='font-family:\"JetBrains Mono\"; font-size:%1px; white-space:nowrap'>")
                    .arg(px(10.5));
    s += QString("<tr style='color:%1'><td></td>").arg(quiet);
    if (whole)
        for (int j = 0; j < n; ++j) s += QString("<td align='right'>%1</td>").arg(j + 1);
    const bool loops =
        layout.nc > 0 && bench_.snapshot()->readings.lambda.size() == static_cast<std::size_t>(layout.nc);
    s += "<td align='right'>&nbsp;v̇</td><td align='right'>&nbsp;c</td><td align='right'>&nbsp;τ</td>";
    if (loops) s += "<td align='right'>&nbsp;Kᵀλ</td>";
    s += "</tr>";
    const auto vdot = bench_.snapshot()->readings.vdot;
    for (int i = first; i < last; ++i) {
        const auto row = static_cast<std::size_t>(i);
        const bool own = body >= 0 && i >= layout.v_of_body[static_cast<std::size_t>(body)] &&
                         i < layout.v_of_body[static_cast<std::size_t>(body)] +
                                 jointNv(model.bodies[static_cast<std::size_t>(body)].joint.type);
        s += QString("<tr%1><td>%2&nbsp;</td>")
                 .arg(own ? QString(" style='background:%1'").arg(tokens().selected.name()) : QString(),
                      QString("%1 %2").arg(i + 1).arg(esc(layout.v_names[row])).replace(' ', "&nbsp;"));
        double tau = c_[row];
        for (int j = 0; j < n; ++j) {
            const double m = M_[row * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
            if (static_cast<std::size_t>(j) < vdot.size()) tau += m * vdot[static_cast<std::size_t>(j)];
            if (whole) s += QString("<td align='right'>%1</td>").arg(value(m));
        }
        double carried = 0;
        for (int k = 0; k < layout.nc && loops; ++k)
            carried += K_[static_cast<std::size_t>(k) * static_cast<std::size_t>(n) + row] *
                       bench_.snapshot()->readings.lambda[static_cast<std::size_t>(k)];
        s += QString("<td align='right'>&nbsp;%1</td><td align='right'>&nbsp;%2</td><td align='right'>&nbsp;%3</td>")
                 .arg(row < vdot.size() ? value(vdot[row]) : QString("–"), value(c_[row]), value(tau - carried));
        if (loops) s += QString("<td align='right'>&nbsp;%1</td>").arg(value(carried));
        s += "</tr>";
    }
    return s + "</table>";
}

void TeachPage::refresh(bool at_once) {
    const auto built = bench_.built();
    const auto s = bench_.snapshot();
    if (!isVisible() || !built || !s || s->model != built->model || !built->kernel) return;
    if (!at_once && s->run == RunState::running && drawn_at_.isValid() && drawn_at_.elapsed() < 250) return;
    drawn_at_.start();
    const Kernel& kernel = built->kernel;
    const auto n = static_cast<std::size_t>(kernel->nv);
    if (s->state.v.size() != n || s->state.q.size() != static_cast<std::size_t>(kernel->nq)) return;
    if (prepared_for_ != kernel.c) {
        shown_ = built;  // keeps the code alive as long as its workspace is in use
        prepared_for_ = kernel.c;
        work_ = makeWork(kernel);
        M_.assign(n * n + 1, 0);
        c_.assign(n + 1, 0);
        K_.assign(static_cast<std::size_t>(kernel->nc) * n + 1, 0);
    }
    kernel->mass_matrix(s->state.q.data(), s->inputs.param.data(), work_.data(), M_.data());
    kernel->bias(s->state.q.data(), s->state.v.data(), s->inputs.param.data(), work_.data(), c_.data());
    if (kernel->nc > 0) kernel->loop_jacobian(s->state.q.data(), s->inputs.param.data(), work_.data(), K_.data());
    double kinetic = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) kinetic += 0.5 * s->state.v[i] * M_[i * n + j] * s->state.v[j];

    const int body = bodyOf(*built->model, bench_.selected());
    QString text = head(tr("With the numbers of t = %1 s").arg(s->state.t, 0, 'f', 3));
    text += matrixText(*built, body);
    const auto& e = s->readings.energy;
    text += head(tr("Energy, J"));
    text += "<table cellspacing='0' cellpadding='2'>";
    std::vector<std::pair<QString, double>> rows{{tr("kinetic, ½ vᵀ M v"), kinetic},
                                                 {tr("gravity, zero at the base origin"), e.gravity},
                                                 {tr("in springs"), e.elements()}};
    if (!built->model->tendons.empty()) rows.emplace_back(tr("in tendons"), s->readings.tendon_energy);
    rows.emplace_back(tr("all together"), s->readings.total_energy);
    rows.emplace_back(tr("error of the integration since the start"), s->readings.residual);
    for (const auto& [name, joules] : rows)
        text +=
            QString("<tr><td>%1&nbsp;&nbsp;</td><td align='right' style='font-family:\"JetBrains Mono\"'>%2</td></tr>")
                .arg(name, value(joules));
    text += "</table>";
    text += QString("<p style='color:%1; margin:6px 0 0 0'>%2</p>")
                .arg(tokens().secondary.name(), tr("%1 steps of %2 ms; units follow each row: kg m² or kg, N m or N.")
                                                    .arg(s->has_rows                          ? tr("semi-implicit")
                                                         : s->integrator == Integrator::euler ? tr("Euler")
                                                                                              : tr("Verlet"))
                                                    .arg(s->dt * 1e3, 0, 'g', 3));
    if (numbers_->text() != text) numbers_->setText(text);
}

}  // namespace mw::app
