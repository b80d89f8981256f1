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
    return probe.unit.empty() ? text : text + " " + QString::fromStdString(probe.unit);
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

void Inspector::showProbes(std::function<std::vector<Probe>()> make) {
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
    if (now.empty()) row({}, tr("Its numbers appear once the text has no errors."));
    // Over which time the forces are meant, and how far they are solved: once for all of them.
    const auto force = std::find_if(now.begin(), now.end(), [](const Probe& p) {
        return p.name == "tension" || p.name == "normal force" || p.name == "force";
    });
    if (force != now.end()) {
        const auto at = static_cast<std::size_t>(force - now.begin());
        const auto of = [all, at](std::string Probe::*what) {
            return [all, at, what] {
                const std::vector<Probe>& probes = all();
                return at < probes.size() ? QString::fromStdString(probes[at].*what) : QString("not computed");
            };
        };
        section(tr("Forces"));
        liveRow(tr("time"), of(&Probe::when));
        liveRow(tr("exact"), of(&Probe::trust));
    }
    QString group;
    for (std::size_t i = 0; i < now.size(); ++i) {
        // "cylinder 2, force" stands under the heading of what comes before the comma.
        const QString full = QString::fromStdString(now[i].name);
        const bool part = full.contains(", ");
        const bool joint = full.startsWith("moment arm ") || full.startsWith("force on ");
        const QString head = part ? full.section(", ", 0, -2) : joint ? tr("Joints") : tr("Now");
        const QString label = part ? full.section(", ", -1) : full;
        if (head != group) section(group = head);
        const auto live = [all, i, name = now[i].name]() -> QString {
            const std::vector<Probe>& probes = all();
            if (i < probes.size() && probes[i].name == name) return shown(probes[i]);
            const auto found =
                std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == name; });
            return found == probes.end() ? QString("not computed") : shown(*found);
        };
        const bool wide = now[i].values.size() > 1;
        if (wide)
            row({}, label + (now[i].unit.empty() ? "" : ", " + QString::fromStdString(now[i].unit)),
                provenance(now[i]));
        liveRow(wide ? QString() : label, live, provenance(now[i]));
    }
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
    showProbes(all);
    if (index >= 0) showPath(item, model->tendons[static_cast<std::size_t>(index)]);
    section(tr("As written"));
    showWritten(item);
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
