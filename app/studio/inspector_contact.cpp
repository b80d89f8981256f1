// The card of one contact: who acts on whom, where, how deep, with what force; at the instant shown, or unloaded.
#include <cmath>
#include <functional>

#include "app/live/probes.h"
#include "app/studio/inspector.h"
#include "app/studio/pair_state.h"
#include "app/studio/workbench.h"
#include "engine/model/vectors.h"

namespace mw::app {
namespace {

QString number(double value, int decimals, const char* unit) {
    return QString("%1 %2").arg(value, 0, 'f', decimals).arg(QString::fromUtf8(unit));
}

QString three(const Vector3d& v, int decimals, const char* unit) {
    // What is rounding beside the largest part is nothing, and has no sign.
    const double floor = 1e-9 * norm(v);
    QString text;
    for (const double x : v) text += QString("%1  ").arg(std::abs(x) <= floor ? 0.0 : x, 0, 'f', decimals);
    return text + QString::fromUtf8(unit);
}

}  // namespace

void Inspector::showContact(const Item& item) {
    section(QString::fromStdString(item.name));
    if (writtenItem(item).kind == "shape") {
        showProbes([this, id = item.name] {
            const auto s = bench_.snapshot();
            return s && s->model ? shapeContactProbes(*s, id) : std::vector<Probe>{};
        });
        return;
    }
    const std::optional<PairId> pair = pairOf(*bench_.model(), item.name);
    if (!pair) {
        row({}, tr("The present mechanism has no such pair."));
        return;
    }
    const Model& model = *bench_.model();
    const Track& track = model.tracks[static_cast<std::size_t>(pair->track)];
    const QString shoe = QString::fromStdString(
        shownName({"body", model.bodies[static_cast<std::size_t>(track.first_shoe + pair->shoe)].name}));
    const QString other =
        pair->roller < 0
            ? tr("ground")
            : QString::fromStdString(
                  model.bodies[static_cast<std::size_t>(track.rollers[static_cast<std::size_t>(pair->roller)].body)]
                      .name);
    row(tr("acts on"), shoe, tr("all forces here are those on the shoe"));
    row(tr("by"), other);
    const auto of = [this, name = item.name](std::function<QString(const ContactReading&)> make) {
        return [this, name, make]() -> QString {
            const auto s = bench_.snapshot();
            if (!s || !s->model) return tr("not computed");
            for (const ContactReading& c : s->readings.contacts)
                if (c.id == name) return make(c);
            return tr("no load");
        };
    };
    section(tr("Force on the shoe, base axes"));
    liveRow(tr("state"), of([](const ContactReading& c) { return QString::fromLatin1(contactStateName(c.state)); }),
            tr("open, stick or slip: docs/contact.md says where one ends and the next begins"));
    liveRow(tr("normal"), of([](const ContactReading& c) { return number(c.normal_force, 1, "N"); }),
            tr("spring and damper together, never negative"));
    liveRow(tr("tangential"), of([](const ContactReading& c) { return number(norm(c.friction), 1, "N"); }),
            tr("friction; on a driven roller the teeth"));
    liveRow(tr("whole"), of([](const ContactReading& c) { return three(c.force, 1, "N"); }),
            tr("with the lateral guide and what the gates and weights of the potential add"));
    section(tr("Where and how"));
    liveRow(tr("point"), of([](const ContactReading& c) { return three(c.point, 4, "m"); }), tr("base axes"));
    liveRow(tr("direction"), of([](const ContactReading& c) { return three(c.normal, 3, ""); }),
            tr("unit normal, towards the shoe"));
    liveRow(tr("depth"), of([](const ContactReading& c) { return number(1e3 * c.depth, 3, "mm"); }));
    liveRow(tr("slip"), of([](const ContactReading& c) { return number(norm(c.slip), 5, "m/s"); }),
            tr("velocity of the shoe's material against the other's, tangential"));
    liveRow(tr("stored"), of([](const ContactReading& c) { return number(c.potential, 3, "J"); }));
    liveRow(tr("power"), of([](const ContactReading& c) { return number(c.power, 2, "W"); }),
            tr("of damping and friction, never positive"));
}

}  // namespace mw::app
