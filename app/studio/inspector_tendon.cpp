// The cards of a tendon, a coupling and a material: what the text says of them, to be edited word by word while it
// runs; the path in its order; and everything that is read off a tendon, with its provenance.
#include <QGridLayout>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "app/live/probes.h"
#include "app/studio/dock.h"
#include "app/studio/inspector.h"
#include "app/studio/workbench.h"

namespace mw::app {
namespace {

QString figure(double value) {
    if (!std::isfinite(value)) return "invalid";
    const double size = std::abs(value);
    if (size == 0 || (size >= 1e-3 && size < 1e6))
        return QString::number(value, 'f', size < 10 ? 5 : size < 1e3 ? 3 : 1);
    return QString::number(value, 'e', 3);
}

QString shown(const Probe& probe) {
    if (probe.state != Probe::State::value) return probeStateName(probe.state);
    if (!probe.word.empty()) return QString::fromStdString(probe.word);
    QString text;
    for (const double v : probe.values) text += (text.isEmpty() ? "" : "  ") + figure(v);
    // Of several the unit stands above them, and a bare ratio has none.
    if (probe.values.size() > 1 || probe.unit.empty() || probe.unit == "1") return text;
    return text + " " + QString::fromStdString(probe.unit);
}

/// Who made it, on what it acts, in which axes: the provenance of a reading in a few lines.
QString provenance(const Probe& probe) {
    QStringList lines;
    const auto say = [&](const char* what, const std::string& value) {
        if (!value.empty()) lines << QString("%1: %2").arg(what, QString::fromStdString(value));
    };
    say("acts on", probe.acts_on);
    say("acts from", probe.acts_from);
    say("made by", probe.by);
    say("pass", probe.pass);
    say("axes", probe.axes);
    say("about", probe.about);
    if (!probe.note.empty()) lines << QString::fromStdString(probe.note);
    return lines.join('\n');
}

constexpr const char* kArm = "moment arm ";
constexpr const char* kForceOn = "force on ";

/// A reading of a branch, a segment, a point or a guide: "cylinder 2, force".
bool isPlace(const Probe& probe) { return probe.name.find(", ") != std::string::npos; }

QString headOf(const Probe& probe) {
    const QString name = QString::fromStdString(probe.name);
    if (isPlace(probe)) return name.section(", ", 0, -2);
    if (name.startsWith(kArm) || name.startsWith(kForceOn)) return QObject::tr("Joints");
    if (probe.axes == "along the fibre") return QObject::tr("Muscle");
    return QObject::tr("Now");
}

}  // namespace

/// The elements of a path in the order of the text, whatever their kinds.
void Inspector::showPath(const Item& item, const Tendon& tendon) {
    section(tr("Path"));
    std::map<std::string, std::size_t> met;
    for (const PathElement& element : tendon.path) {
        const std::string word = pathElementName(element.kind);
        const std::size_t at = met[word]++;
        const std::vector<std::string> texts = elementTexts(bench_.document(), item, word);
        if (at >= texts.size()) continue;
        editRow(QString::fromStdString(word), QString::fromStdString(texts[at]).simplified(),
                tr("as the text has it; empty takes it away"), [this, item, word, at](const std::string& typed) {
                    return setElementText(bench_.document(), item, word, at, typed);
                });
    }
    std::size_t terms = 0;
    const std::vector<std::string> weights = elementTexts(bench_.document(), item, "term");
    for (const std::string& text : weights) {
        editRow(tr("term"), QString::fromStdString(text).simplified(),
                tr("a joint coordinate and its weight; empty takes it away"),
                [this, item, at = terms++](const std::string& typed) {
                    return setElementText(bench_.document(), item, "term", at, typed);
                });
    }
    const std::string more = tendon.fixed ? "term" : "site";
    const std::size_t count = tendon.fixed ? weights.size() : met["site"];
    editRow(tr("add %1").arg(QString::fromStdString(more)), {},
            tendon.fixed ? tr("joint and weight") : tr("body and point, at the end of the path"),
            [this, item, more, count](const std::string& typed) {
                return setElementText(bench_.document(), item, more, count, typed);
            });
}

void Inspector::showProbes(std::function<std::vector<Probe>()> make, ProbePart part) {
    // Made once a snapshot, however many rows ask.
    struct Kept {
        std::uint64_t serial = ~std::uint64_t{0};
        std::vector<Probe> probes;
    };
    const auto all = [this, make = std::move(make), kept = std::make_shared<Kept>()]() -> const std::vector<Probe>& {
        const auto s = bench_.snapshot();
        if (s && s->serial != kept->serial) kept->probes = make(), kept->serial = s->serial;
        return kept->probes;
    };
    const std::vector<Probe> now = all();
    if (now.empty() && part != ProbePart::places) row({}, tr("Its numbers appear once the text has no errors."));

    // Rows under one heading stand together, in the order in which the headings are met.
    std::vector<std::pair<QString, std::vector<std::size_t>>> groups;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const QString head = headOf(now[i]);
        const bool place = isPlace(now[i]);
        if ((part == ProbePart::whole && place) || (part == ProbePart::places && !place)) continue;
        auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == head; });
        if (found == groups.end()) found = groups.insert(found, {head, {}});
        found->second.push_back(i);
    }
    for (const auto& [head, members] : groups) {
        section(head);
        for (const std::size_t i : members) probeRow(now[i], i, all);
        if (part == ProbePart::places || head != tr("Now")) continue;
        // Over which time the forces are meant, and how far they are solved: once for all of them.
        liveRow(
            tr("forces of, s"),
            [this]() -> QString {
                const auto s = bench_.snapshot();
                if (!s) return {};
                const RowsReading& rows = s->readings.rows;
                if (!rows.valid) return tr("this instant");
                return QString("%1–%2").arg(rows.t0, 0, 'f', 4).arg(rows.t1, 0, 'f', 4);
            },
            tr("the time over which the forces are averages: the step that led to the instant shown; before any step "
               "the state's own forces"));
        liveRow(
            tr("solved"),
            [this]() -> QString {
                const auto s = bench_.snapshot();
                if (!s || !s->readings.rows.valid) return tr("state alone");
                return QString::fromStdString(solveStatusName(s->readings.rows.report.status));
            },
            tr("of all rows of that step together; the status line has sweeps and residual"));
        live_.back().value->setWordWrap(true);
    }
}

void Inspector::probeRow(const Probe& probe, std::size_t at, const std::function<const std::vector<Probe>&()>& all) {
    const QString full = QString::fromStdString(probe.name);
    const bool arm = full.startsWith(kArm), force = full.startsWith(kForceOn);
    QString label = isPlace(probe) || full.contains(", ") ? full.section(", ", -1) : full;
    // A joint's name may be long: it has a line of its own above both numbers.
    if (arm) row({}, full.mid(QString(kArm).size()), tr("the joint's coordinate"));
    if (arm || force) label = arm ? tr("arm") : tr("force");
    if (label.size() > 18) label = label.left(9) + "…" + label.right(8);
    const auto live = [all, at, name = probe.name]() -> QString {
        const std::vector<Probe>& probes = all();
        if (at < probes.size() && probes[at].name == name) return shown(probes[at]);
        const auto found = std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == name; });
        return found == probes.end() ? QString("not computed") : shown(*found);
    };
    const bool wide = probe.values.size() > 1;
    if (wide)
        row({}, label + (probe.unit.empty() || probe.unit == "1" ? "" : ", " + QString::fromStdString(probe.unit)),
            provenance(probe));
    liveRow(wide ? QString() : label, live, provenance(probe));
    if (!wide) live_.back().value->setWordWrap(probe.values.empty());
}

void Inspector::showTendon(const Item& item) {
    section(QString::fromStdString(item.name));
    editRow(tr("name"), QString::fromStdString(item.name), tr("of the tendon, in the whole text"),
            [this, item](const std::string& to) { return renameItem(bench_.document(), item, to); });
    const Model* model = bench_.model();
    const int index = model ? modelIndex(*model, item) : -1;

    // Readings first: they are what one selects a tendon for. Live numbers come from the mechanism that runs, which may
    // be older than the text.
    const auto all = [this, name = item.name]() -> std::vector<Probe> {
        const auto s = bench_.snapshot();
        const int k = s && s->model ? modelIndex(*s->model, {"tendon", name}) : -1;
        return k < 0 ? std::vector<Probe>{} : tendonProbes(*s, k);
    };
    showProbes(all, ProbePart::whole);
    section(tr("As written"));
    showWritten(item);
    if (index >= 0) showPath(item, model->tendons[static_cast<std::size_t>(index)]);
    showProbes(all, ProbePart::places);
}

void Inspector::showCoupling(const Item& item) {
    section(QString::fromStdString(item.name));
    editRow(tr("name"), QString::fromStdString(item.name), tr("of the coupling, in the whole text"),
            [this, item](const std::string& to) { return renameItem(bench_.document(), item, to); });
    row({}, tr("C = l1 - l1,ref - f(l2 - l2,ref) = 0 with f(x) = c0 + c1 x + c2 x² + c3 x³ + c4 x⁴"));
    showWritten(item);
    const Model* model = bench_.model();
    const int index = model ? modelIndex(*model, item) : -1;
    if (index < 0) return;
    section(tr("Now"));
    const auto of = [this, name = item.name](auto&& make) {
        return [this, name, make]() -> QString {
            const auto s = bench_.snapshot();
            const int k = s && s->model ? modelIndex(*s->model, {"coupling", name}) : -1;
            return k < 0 ? QString("not computed") : make(*s, static_cast<std::size_t>(k));
        };
    };
    liveRow(tr("error C"), of([](const Snapshot& s, std::size_t k) -> QString {
                const Coupling& c = s.model->couplings[k];
                const auto change = [&](int tendon) {
                    const TendonReading& t = s.readings.tendons[static_cast<std::size_t>(tendon)];
                    return t.length - t.reference;
                };
                if (s.readings.tendons.size() != s.model->tendons.size()) return "not computed";
                double f = c.poly[0].at(s.inputs.param), x = c.second < 0 ? 0 : change(c.second), power = 1;
                for (std::size_t i = 1; i < 5; ++i) f += c.poly[i].at(s.inputs.param) * (power *= x);
                return figure(change(c.first) - f);
            }),
            tr("of the lengths at the instant shown"));
    liveRow(tr("force λ"), of([](const Snapshot& s, std::size_t k) -> QString {
                const Coupling& c = s.model->couplings[k];
                if (s.readings.tendons.size() != s.model->tendons.size()) return "not computed";
                const auto& forces = s.readings.tendons[static_cast<std::size_t>(c.first)].forces.couplings;
                return k < forces.size() && forces[k] ? figure(*forces[k]) : QString("not computed");
            }),
            tr("on the first tendon, positive lengthens; average over the last step"));
}

void Inspector::showMaterial(const Item& item) {
    section(QString::fromStdString(item.name));
    editRow(tr("name"), QString::fromStdString(item.name), tr("of the material, in the whole text"),
            [this, item](const std::string& to) { return renameItem(bench_.document(), item, to); });
    showWritten(item);
    const Model* model = bench_.model();
    const int index = model ? modelIndex(*model, item) : -1;
    if (index < 0) return;
    QStringList shapes;
    for (const mw::Shape& shape : model->shapes)
        if (shape.material == index) shapes << QString::fromStdString(shape.name);
    section(tr("Shapes of it"));
    row({}, shapes.isEmpty() ? tr("none: `collide %1` on a shape makes it touch").arg(QString::fromStdString(item.name))
                             : shapes.join(", "));
}

}  // namespace mw::app
