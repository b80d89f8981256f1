// Contact records to rows: normal, friction disc, torsion, rolling, all about the record's one reference point, so that
// what one body gets the other loses, force and moment.
#include <algorithm>
#include <cmath>

#include "engine/contact/shape_contacts.h"
#include "engine/spatial/spatial.h"

namespace mw {

namespace {

Vector3 vectorOf(const Vector3d& v) { return {v[0], v[1], v[2]}; }

constexpr std::uint64_t kSecond = std::uint64_t(1) << 63;  // feature of the second row of a pair of rows

class RowMaker {
public:
    RowMaker(const ContactRecord& record, const MotionAxes& axes, RowSet& rows)
        : record_(record), axes_(axes), rows_(rows), point_(vectorOf(record.point)) {}

    /// The relative velocity of B against A along d at the reference point (moment P x d), or about d.
    int linear(const Vector3& d) { return put(point_.cross(d), d); }
    int angular(const Vector3& d) { return put(d, Vector3::Zero()); }

private:
    /// Slots of both bodies, each once; velocities that carry both bodies alike drop out.
    int put(const Vector3& moment, const Vector3& force) {
        const int begin = rows_.mark();
        const std::span<const int> a = record_.a >= 0 ? axes_.chain(record_.a) : std::span<const int>();
        const std::span<const int> b = record_.b >= 0 ? axes_.chain(record_.b) : std::span<const int>();
        std::size_t i = 0, j = 0;
        while (i < a.size() || j < b.size()) {
            if (j == b.size() || (i < a.size() && a[i] < b[j])) add(a[i++], -1, moment, force);
            else if (i == a.size() || b[j] < a[i]) add(b[j++], 1, moment, force);
            else i++, j++;
        }
        return begin;
    }
    void add(int slot, double sign, const Vector3& moment, const Vector3& force) {
        const std::array<double, 6>& x = axes_.axis[static_cast<std::size_t>(slot)];
        const double value = moment.x() * x[0] + moment.y() * x[1] + moment.z() * x[2] + force.x() * x[3] +
                             force.y() * x[4] + force.z() * x[5];
        if (value != 0) rows_.put(slot, sign * value);
    }

    const ContactRecord& record_;
    const MotionAxes& axes_;
    RowSet& rows_;
    Vector3 point_;
};

}  // namespace

double contactTarget(double gap, double approach, const PairValues& values, const ContactRowSettings& settings) {
    const double h = settings.h;
    const bool bounces = values.restitution > 0 && approach < -values.restitution_speed;
    const double rebound = -values.restitution * approach;
    if (gap > 0) return bounces && gap + h * approach < 0 ? rebound : -gap / h;
    const double repair = -settings.beta * std::min(0.0, gap + settings.slop) / h;
    return bounces ? std::max(rebound, repair) : repair;
}

void addContactRows(std::span<const ContactRecord> records, const MotionAxes& axes, std::span<const double> v,
                    const ContactRowSettings& settings, RowSet& rows) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < records.size(); k++) {
        const ContactRecord& record = records[k];
        const Vector3 n = vectorOf(record.normal), t1 = vectorOf(record.tangent1), t2 = vectorOf(record.tangent2);
        RowMaker make(record, axes, rows);
        Row row;
        row.kind = RowKind::normal;
        row.owner = static_cast<int>(k);
        row.feature = record.key;
        row.lower = 0;
        const int normal = rows.size();
        int begin = make.linear(n);
        double approach = 0;
        for (std::size_t i = static_cast<std::size_t>(begin); i < rows.columns.size(); i++)
            approach += rows.values[i] * v[static_cast<std::size_t>(rows.columns[i])];
        row.target = contactTarget(record.gap, approach, record.values, settings);
        rows.add(row, begin);

        const auto friction = [&](RowKind kind, double mu, int disc, bool second, int at) {
            Row f;
            f.kind = kind;
            f.owner = static_cast<int>(k);
            f.feature = record.key | (second ? kSecond : 0);
            f.lower = -kInfinity;
            f.upper = kInfinity;
            f.by = normal;
            f.by_count = 1;
            f.mu = mu;
            f.disc = disc;
            rows.add(f, at);
        };
        if (record.values.mu > 0) {
            begin = make.linear(t1);
            friction(RowKind::tangent, record.values.mu, 2, false, begin);
            begin = make.linear(t2);
            friction(RowKind::tangent, record.values.mu, 0, true, begin);
        }
        if (record.values.mu_torsion > 0) {
            begin = make.angular(n);
            friction(RowKind::torsion, record.values.mu_torsion, 1, false, begin);
        }
        if (record.values.mu_rolling > 0) {
            begin = make.angular(t1);
            friction(RowKind::rolling, record.values.mu_rolling, 2, false, begin);
            begin = make.angular(t2);
            friction(RowKind::rolling, record.values.mu_rolling, 0, true, begin);
        }
    }
}

}  // namespace mw
