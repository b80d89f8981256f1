// The cards of a band and of the ground: what the text says of them, to be edited word by word as the language has it;
// what became of it; and what it carries at the instant shown.
#include <QGridLayout>
#include <algorithm>
#include <cmath>

#include "app/studio/inspector.h"
#include "app/studio/workbench.h"
#include "engine/contact/contact.h"
#include "engine/contact/terrain.h"
#include "engine/mech/keywords.h"
#include "engine/track/belt.h"

namespace mw::app {
namespace {

using mech::PropertySpec;
using mech::ValueKind;

QString plain(double value, int digits = 5) { return QString::number(value, 'g', digits); }

QString newtons(double force) {
    return std::abs(force) >= 1000 ? QString("%1 kN").arg(force / 1000, 0, 'f', 2)
                                   : QString("%1 N").arg(std::abs(force) < 0.05 ? 0.0 : force, 0, 'f', 1);
}

/// The unit that all numbers of a property share.
QString unitOf(const PropertySpec& property) {
    const bool same = std::all_of(property.values.begin(), property.values.end(), [&](const mech::ValueSpec& value) {
        return value.kind == ValueKind::number && QString::fromUtf8(value.unit) == property.values[0].unit;
    });
    return same && !property.values.empty() ? QString::fromUtf8(property.values[0].unit) : QString();
}

/// How far outside the belt that is drawn around the rollers the pins stand, so that the polygon of links closes.
double clearanceOf(const Track& track) {
    std::vector<BeltCircle> circles;
    for (std::size_t i = 0; i < track.rollers.size() && i < track.axles.size(); ++i) {
        const Track::Roller& r = track.rollers[i];
        circles.push_back(
            {track.axles[i][0], track.axles[i][1], r.end ? r.radius : r.radius + track.pad_z + track.thickness});
    }
    return layPins(circles, track.shoes).clearance;
}

}  // namespace

/// Every word of the statement that this program acts on, in the order of the language's reference.
void Inspector::showWritten(const Item& item) {
    const mech::StatementSpec* spec = mech::findStatement(item.kind);
    if (!spec) return;
    Document& document = bench_.document();
    for (const PropertySpec& property : spec->properties) {
        const std::string word = property.word;
        const bool written = hasProperty(document, item, word);
        if (property.repeatable || (property.availability != mech::Availability::available && !written)) continue;
        QString text;
        for (const WrittenValue& value : writtenValues(document, item, word))
            text += (text.isEmpty() ? "" : " ") + QString::fromStdString(value.text);
        const QString name = QString::fromStdString(word), standard = QString::fromUtf8(property.standard);
        QString tip = QString::fromUtf8(property.doc) + "\n" +
                      QString::fromStdString(mech::signature(property.word, property.values));
        if (!standard.isEmpty()) tip += "\n" + tr("not written: %1").arg(standard);
        const auto set = [this, item, word](const std::string& values) {
            return values.empty() ? removeProperty(bench_.document(), item, word)
                                  : setPropertyText(bench_.document(), item, word, values);
        };
        if (property.values.empty()) {
            choiceRow(name, {tr("yes"), tr("no")}, written ? tr("yes") : tr("no"), tip,
                      [this, item, word, yes = tr("yes").toStdString()](const std::string& chosen) {
                          return chosen == yes ? setPropertyText(bench_.document(), item, word, "")
                                               : removeProperty(bench_.document(), item, word);
                      });
        } else if (property.values.size() == 1 && property.values[0].kind == ValueKind::choice) {
            QStringList choices;
            for (const mech::Choice& choice : property.values[0].choices) choices << choice.word;
            choiceRow(name, choices, written ? text : standard, tip, set);
        } else {
            editRow(name, text, tip, set, unitOf(property), standard);
        }
    }
}

/// Lines of which there may be several, and one more to type a new one into.
void Inspector::showElements(const Item& item, const std::string& word, const QString& title, bool named) {
    const mech::StatementSpec* spec = mech::findStatement(item.kind);
    const PropertySpec* property = spec ? spec->find(word) : nullptr;
    if (!property) return;
    QString says = QString::fromStdString(mech::signature(word, property->values));
    for (const PropertySpec& own : property->own)
        says += " [" + QString::fromStdString(mech::signature(own.word, own.values)) + "]";
    section(title);
    const QString tip = QString::fromUtf8(property->doc) + "\n" + says + "\n" + tr("empty takes it away");
    const std::vector<std::string> texts = elementTexts(bench_.document(), item, word);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        QString name = QString("%1 %2").arg(QString::fromStdString(word)).arg(i + 1);
        QString text = QString::fromStdString(texts[i]).simplified();
        std::string head;
        if (named) {
            name = text.section(' ', 0, 0);
            text = text.section(' ', 1);
            head = name.toStdString() + " ";
        }
        editRow(name, text, tip, [this, item, word, i, head](const std::string& typed) {
            return setElementText(bench_.document(), item, word, i, typed.empty() ? typed : head + typed);
        });
    }
    editRow(
        tr("add"), {}, tip,
        [this, item, word, n = texts.size()](const std::string& typed) {
            return setElementText(bench_.document(), item, word, n, typed);
        },
        {}, says.section(' ', 1));
}

void Inspector::showTrack(const Item& item) {
    section(QString::fromStdString(item.name));
    editRow(tr("name"), QString::fromStdString(item.name), tr("of the band, in the whole text"),
            [this, item](const std::string& to) { return renameItem(bench_.document(), item, to); });
    showWritten(item);
    showElements(item, "roller", tr("Rollers"), true);

    const Model* model = bench_.model();
    const int index = model ? modelIndex(*model, item) : -1;
    if (index < 0 || model->tracks[static_cast<std::size_t>(index)].first_shoe < 0) {
        row({}, tr("Its numbers appear once the text has no errors."));
        return;
    }
    const Track& track = model->tracks[static_cast<std::size_t>(index)];
    section(tr("As it was laid"));
    row(tr("link"), plain(track.link) + " m", tr("pin to pin: the perimeter over the number of shoes"));
    row(tr("perimeter"), plain(track.perimeter) + " m", tr("of the belt around the rollers, at the start pose"));
    row(tr("clearance"), plain(clearanceOf(track) * 1e3, 3) + " mm",
        tr("of the pins outside that belt: straight links around round rollers"));
    for (const Track::Roller& roller : track.rollers)
        if (roller.driven && roller.teeth > 0)
            row(tr("tooth pitch"),
                tr("%1 m, %2")
                    .arg(plain(2 * M_PI * roller.radius / roller.teeth),
                         QString::fromStdString(model->bodies[static_cast<std::size_t>(roller.body)].name)),
                tr("along the rim; within 5 % of the link its teeth take the pins along"));
    const double mass = track.mass.value;
    row(tr("mass"), plain(mass * track.shoes) + " kg", tr("of all shoes"));
    const double period = 2 * M_PI * std::sqrt(mass / track.kn.value), step = ContactModel(*model).accuracyStep();
    row(tr("contact period"), plain(period * 1e3, 4) + " ms", tr("2π √(mass of a shoe / kn): the fastest swing here"));
    row(tr("default step"), plain(step * 1e3, 3) + " ms",
        tr("of the whole mechanism: a 90th of the shortest contact period of bands and ground"));

    section(tr("Tension and contacts now"));
    const auto here = [this, name = item.name](auto&& make) {
        return [this, name, make]() -> QString {
            const auto s = bench_.snapshot();
            const int t = s && s->model ? modelIndex(*s->model, {"track", name}) : -1;
            return t < 0 ? QString("not computed") : make(*s, static_cast<std::size_t>(t));
        };
    };
    const auto tension = [here](bool greatest) {
        return here([greatest](const Snapshot& s, std::size_t t) -> QString {
            if (t >= s.readings.tensions.size() || s.readings.tensions[t].pins.empty()) return "not computed";
            const auto& pins = s.readings.tensions[t].pins;
            const auto at =
                greatest ? std::max_element(pins.begin(), pins.end()) : std::min_element(pins.begin(), pins.end());
            // Which one holds nothing is a question of rounding.
            return std::abs(*at) < 0.05 ? newtons(*at)
                                        : QString("%1  shoe %2").arg(newtons(*at)).arg(at - pins.begin());
        });
    };
    const QString along = tr("tension at the pin along the link that leaves it, positive pulling");
    liveRow(tr("greatest"), tension(true), along);
    liveRow(tr("least"), tension(false), along);
    liveRow(tr("pins · faces · pads"), here([](const Snapshot& s, std::size_t t) {
                int kinds[3] = {};
                for (const ContactReading& c : s.readings.contacts)
                    if (c.track == static_cast<int>(t)) ++kinds[static_cast<int>(c.kind)];
                return tr("%1 · %2 · %3").arg(kinds[0]).arg(kinds[1]).arg(kinds[2]);
            }),
            tr("contacts that carry: pins on end rollers, rollers on inner faces, corners of pads on the ground"));
}

void Inspector::showGround(const Item& item) {
    section(tr("Ground"));
    showWritten(item);
    const std::pair<const char*, QString> several[] = {
        {"wave", tr("Waves")}, {"step", tr("Steps")}, {"bump", tr("Bumps")}};
    for (const auto& [word, title] : several) showElements(item, word, title, false);

    const Model* model = bench_.model();
    if (!model || !model->ground) {
        row({}, tr("Its numbers appear once the text has no errors."));
        return;
    }
    section(tr("As it is"));
    const double steepest = Terrain(*model->ground).steepest();
    row(tr("steepest"), tr("%1°").arg(std::atan(steepest) * 180 / M_PI, 0, 'f', 1),
        tr("a bound of its slope anywhere, without the slope of the run"));
    if (model->tracks.empty()) row({}, tr("Pads of bands touch it; this mechanism has none."));
    section(tr("Now"));
    liveRow(
        tr("law"),
        [this]() -> QString {
            const auto s = bench_.snapshot();
            return s ? QString::fromLatin1(frictionName(s->contact.friction)) : QString("not computed");
        },
        tr("friction of this run: the text's, or the one chosen in the menu Run"));
    liveRow(
        tr("slope"),
        [this]() -> QString {
            const auto s = bench_.snapshot();
            return s ? tr("%1° uphill to +x").arg(s->contact.slope * 180 / M_PI, 0, 'f', 1) : QString("not computed");
        },
        tr("of this run: the whole start turned with its ground (Run > Slope)"));
    liveRow(tr("pads loaded"), [this]() -> QString {
        const auto s = bench_.snapshot();
        return s ? QString::number(s->readings.contact_totals.points) : QString("not computed");
    });
    row({}, tr("force of the ground on all pads, N"), tr("base axes"));
    liveRow(
        {},
        [this]() -> QString {
            const auto s = bench_.snapshot();
            if (!s) return "not computed";
            QString text;
            for (const double f : s->readings.contact_totals.ground_force)
                text += QString("%1").arg(std::abs(f) < 0.05 ? 0.0 : f, 10, 'f', 1);
            return text;
        },
        tr("base axes; on the mechanism by the ground"));
}

}  // namespace mw::app
