// The wrap scan: one joint moved through its range, loops kept closed, the route asked at every place. Between two
// samples whose routes differ the place of the change is found by bisection.
#include "engine/sim/wrap_scan.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/table_field.h"
#include "engine/dynamics/closure.h"
#include "engine/dynamics/drift.h"
#include "engine/rows/motion_axes.h"
#include "engine/sim/motion_axes.h"
#include "engine/tendon/tendons.h"

namespace mw {
namespace {

constexpr double kStep = 1e-5;        // of the central difference, rad or m
constexpr double kNarrow = 1e-12;     // part of the range to which the place of a change is narrowed
constexpr double kKink = 1e-4;        // a leap of the moment arm, by its size, and of at least this (m/rad)
constexpr double kGap = 1e-7;         // a leap of the length, by its size, and of at least this (m)
constexpr double kSuspicious = 1e-6;  // difference between length and moment arms over an interval that is looked into

/// What a tendon is like at one pose.
struct Look {
    std::vector<double> q;
    double length = 0, arm = 0;
    std::vector<char> touched;
    std::vector<double> sweep;
    bool closed = true;
};

class Scanner {
public:
    Scanner(const Model& model, const Layout& layout, const Kernel& kernel, const WrapScanRequest& request)
        : layout_(layout),
          kernel_(kernel),
          request_(request),
          tendons_(model, layout),
          drift_(model, layout),
          model_(model),
          work_(makeWork(kernel)) {
        param_ = request.param.empty() ? model.liveValues() : request.param;
        tendons_.setParameters(param_);
        if (layout.nc > 0) closure_.emplace(model);
        const auto size = [](int n) { return static_cast<std::size_t>(n); };
        X_.resize(size(12 * layout.nbody));
        V_.resize(size(6 * layout.nbody));
        zero_.assign(size(layout.nv), 0.0);
        unit_.assign(size(layout.nv), 0.0);
        along_.assign(size(layout.nv), 0.0);
        const int body = layout.body_of_v[size(request.velocity)];
        slot_ = size(layout.q_of_body[size(body)] + request.velocity - layout.v_of_body[size(body)]);
    }

    std::size_t slot() const { return slot_; }
    std::span<const double> param() const { return param_; }

    /// The pose `from` with the joint at a value, loops closed again.
    Look at(const std::vector<double>& from, double value) {
        Look look;
        look.q = from;
        look.q[slot_] = value;
        if (closure_) {
            Assembly reached = closure_->setCoordinate(from, request_.velocity, value, param_);
            look.closed = reached.closed && std::abs(reached.q[slot_] - value) <= 1e-9 * std::max(1.0, std::abs(value));
            look.q = std::move(reached.q);
        }
        see(look);
        return look;
    }

    /// dl/dq by a central difference along the same motion; nothing where the route is another at one of the ends.
    std::optional<double> difference(const Look& look) {
        if (!look.closed) return std::nullopt;
        motion(look.q);
        const std::vector<double> along = along_;
        std::array<Look, 2> ends;
        for (int i = 0; i < 2; ++i) {
            Look& end = ends[static_cast<std::size_t>(i)];
            end.q = look.q;
            drift_(end.q, along, i == 0 ? -kStep : kStep);
            if (closure_) {
                AssembleOptions hold;
                hold.keep = {request_.velocity};
                Assembly closed = closure_->assemble(end.q, param_, hold);
                if (!closed.closed) return std::nullopt;
                end.q = std::move(closed.q);
            }
            see(end);
        }
        far_ = ends[0].touched != look.touched || ends[1].touched != look.touched ||
               std::abs(ends[1].arm - ends[0].arm) > kKink * std::max(1.0, std::abs(look.arm));
        return (ends[1].length - ends[0].length) / (ends[1].q[slot_] - ends[0].q[slot_]);
    }
    /// The last difference reached over a change of the route.
    bool overChange() const { return far_; }

    const TendonRoute& route() const { return route_; }
    const Tendons& tendons() const { return tendons_; }

private:
    void see(Look& look) {
        kernel_->kinematics(look.q.data(), zero_.data(), param_.data(), work_.data(), X_.data(), V_.data());
        fillMotionAxes(model_, layout_, look.q, X_, param_, axes_);
        tendons_.route(request_.tendon, look.q, X_, &axes_, route_);
        look.length = route_.length;
        look.touched.clear();
        look.sweep.clear();
        for (const GuideReading& g : route_.guides) {
            look.touched.push_back(g.contact.state != GuideContact::State::free);
            look.sweep.push_back(g.contact.sweep);
        }
        motion(look.q);
        look.arm = 0;
        for (std::size_t i = 0; i < along_.size(); ++i) look.arm += route_.gradient[i] * along_[i];
    }

    /// Velocities with 1 at the joint that keep the loops closed: of these the least kinetic energy. M^-1 e_i with the
    /// loops' projection, scaled.
    void motion(const std::vector<double>& q) {
        std::fill(along_.begin(), along_.end(), 0.0);
        const auto i = static_cast<std::size_t>(request_.velocity);
        along_[i] = 1;
        if (!closure_) return;
        std::fill(unit_.begin(), unit_.end(), 0.0);
        unit_[i] = 1;
        kernel_->factor(q.data(), param_.data(), work_.data());
        kernel_->apply_inverse_mass(work_.data(), unit_.data(), 1, along_.data());
        const double own = along_[i];
        for (double& x : along_) x /= own;
        along_[i] = 1;
    }

    const Layout& layout_;
    const Kernel& kernel_;
    const WrapScanRequest& request_;
    Tendons tendons_;
    DriftPlan drift_;
    const Model& model_;
    std::optional<Closure> closure_;
    std::vector<double> param_, work_, X_, V_, zero_, unit_, along_;
    std::size_t slot_ = 0;
    MotionAxes axes_;
    TendonRoute route_;
    bool far_ = false;
};

bool leapsInArm(double a, double b) { return std::abs(b - a) > kKink * std::max({0.1, std::abs(a), std::abs(b)}); }
bool leapsInLength(double a, double b) { return std::abs(b - a) > kGap * std::max({0.1, std::abs(a), std::abs(b)}); }

/// How far length and moment arms disagree over an interval: nothing but the third derivative where all is smooth.
double disagreement(const Look& a, const Look& b, std::size_t slot) {
    return std::abs(b.length - a.length - (a.arm + b.arm) / 2 * (b.q[slot] - a.q[slot]));
}

/// Narrows [a, b] to the place where the route changes. `part`: the guide whose state differs, or -1 to follow the
/// greatest disagreement.
void narrow(Scanner& scan, Look& a, Look& b, int part, double range) {
    const std::size_t slot = scan.slot();
    for (int i = 0; i < 60 && std::abs(b.q[slot] - a.q[slot]) > kNarrow * range; ++i) {
        const double middle = (a.q[slot] + b.q[slot]) / 2;
        if (middle == a.q[slot] || middle == b.q[slot]) break;
        Look m = scan.at(a.q, middle);
        if (!m.closed) break;
        bool first_half = false;
        if (part >= 0) {
            first_half = m.touched[static_cast<std::size_t>(part)] != a.touched[static_cast<std::size_t>(part)];
        } else {
            const auto weight = [&](const Look& x, const Look& y) {
                return disagreement(x, y, slot) + std::abs(y.arm - x.arm) * std::abs(b.q[slot] - a.q[slot]);
            };
            first_half = weight(a, m) > weight(m, b);
        }
        (first_half ? b : a) = std::move(m);
    }
}

/// Changes between two samples that follow each other.
void compare(Scanner& scan, const Look& a, const Look& b, int sample, double range, bool suspicious, WrapScan& out) {
    WrapScan::Sample& after = out.samples[static_cast<std::size_t>(sample)];
    const auto note = [&](WrapScan::Event::Kind kind, int guide, const Look& x, const Look& y) {
        WrapScan::Event e;
        e.kind = kind;
        e.q = (x.q[scan.slot()] + y.q[scan.slot()]) / 2;
        e.sample = sample;
        e.guide = guide;
        e.length_before = x.length;
        e.length_after = y.length;
        e.arm_before = x.arm;
        e.arm_after = y.arm;
        e.leaps = leapsInLength(x.length, y.length) || leapsInArm(x.arm, y.arm);
        if (e.leaps) after.jump = true;
        out.events.push_back(e);
    };
    for (std::size_t g = 0; g < a.touched.size(); ++g) {
        if (a.touched[g] == b.touched[g]) continue;
        after.change = true;
        Look x = a, y = b;
        narrow(scan, x, y, static_cast<int>(g), range);
        note(y.touched[g] ? WrapScan::Event::Kind::taken : WrapScan::Event::Kind::left, static_cast<int>(g), x, y);
    }
    if (after.change || !suspicious) return;
    Look x = a, y = b;
    narrow(scan, x, y, -1, range);
    if (leapsInLength(x.length, y.length) || leapsInArm(x.arm, y.arm)) note(WrapScan::Event::Kind::jump, -1, x, y);
}

std::vector<std::string> guideNames(const Model& model, const Tendon& tendon) {
    std::vector<std::string> names;
    for (const PathElement& e : tendon.path) {
        if (!e.isGuide()) continue;
        const std::string on =
            e.point.body == kBase ? "base" : model.bodies[static_cast<std::size_t>(e.point.body)].name;
        std::string name = fmt::format("{} on {}", pathElementName(e.kind), on);
        int same = 1;
        for (const std::string& other : names)
            if (other == name || other.rfind(name + " #", 0) == 0) ++same;
        if (same > 1) name += fmt::format(" #{}", same);
        names.push_back(std::move(name));
    }
    return names;
}

/// Whether the coordinate is an angle; the layout's order of a joint's coordinates is that of docs/conventions.md.
bool isAngle(const Joint& joint, int coordinate) {
    switch (joint.type) {
        case JointType::prismatic: return false;
        case JointType::cylindrical: return coordinate == 0;
        case JointType::planar: return coordinate == 2;
        default: return true;
    }
}

}  // namespace

std::optional<std::array<double, 2>> scanRange(const Model& model, const Layout& layout, int velocity,
                                               std::span<const double> param) {
    if (velocity < 0 || velocity >= layout.nv) return std::nullopt;
    const int b = layout.body_of_v[static_cast<std::size_t>(velocity)];
    const Body& body = model.bodies[static_cast<std::size_t>(b)];
    if (jointNq(body.joint.type) != jointNv(body.joint.type)) return std::nullopt;
    const bool angle = isAngle(body.joint, velocity - layout.v_of_body[static_cast<std::size_t>(b)]);
    std::array<double, 2> range = angle ? std::array{-3.141592653589793, 3.141592653589793} : std::array{-1.0, 1.0};
    if (jointNv(body.joint.type) != 1) return range;
    const auto take = [&](double lower, double upper) {
        if (!(lower < upper)) return;
        if (std::isfinite(lower)) range[0] = lower;
        if (std::isfinite(upper)) range[1] = upper;
        if (!(range[0] < range[1])) range = {lower, upper};
    };
    if (body.slider) take((*body.slider)[0].at(param), (*body.slider)[1].at(param));
    if (body.limits) take(body.limits->lower.at(param), body.limits->upper.at(param));
    return range;
}

WrapScan wrapScan(const Model& model, const Layout& layout, const Kernel& kernel, const WrapScanRequest& request,
                  std::stop_token stop) {
    WrapScan out;
    const auto fail = [&out](std::string why) {
        out.problem = std::move(why);
        return out;
    };
    const auto givenUp = [&out, &fail] {
        out.samples.clear();
        out.events.clear();
        return fail("the scan was given up before its end");
    };
    if (request.tendon < 0 || request.tendon >= static_cast<int>(model.tendons.size())) return fail("no such tendon");
    if (request.velocity < 0 || request.velocity >= layout.nv) return fail("no such joint coordinate");
    const Tendon& tendon = model.tendons[static_cast<std::size_t>(request.tendon)];
    out.tendon = tendon.name;
    out.joint = layout.v_names[static_cast<std::size_t>(request.velocity)];
    const int b = layout.body_of_v[static_cast<std::size_t>(request.velocity)];
    const Joint& joint = model.bodies[static_cast<std::size_t>(b)].joint;
    if (jointNq(joint.type) != jointNv(joint.type))
        return fail(
            fmt::format("{} is a rate only: a free attitude has no single angle that could be swept", out.joint));
    if (!std::isfinite(request.from) || !std::isfinite(request.to) || !(request.from < request.to))
        return fail("the range must run from a smaller to a larger number");
    if (request.samples < 2 || request.samples > 1000000) return fail("2 to 1000000 samples are wanted");
    const bool angle = isAngle(joint, request.velocity - layout.v_of_body[static_cast<std::size_t>(b)]);
    out.unit_q = angle ? "rad" : "m";
    out.guides = guideNames(model, tendon);

    Scanner scan(model, layout, kernel, request);
    out.unit_length = scan.tendons().units(request.tendon).length;
    out.unit_arm = out.unit_length + "/" + out.unit_q;
    const std::vector<double> start = request.q.empty() ? startQ(model, layout, scan.param()) : request.q;
    if (static_cast<int>(start.size()) != layout.nq)
        return fail(fmt::format("{} coordinates are wanted for the pose", layout.nq));

    // From the sample that lies nearest to the pose outwards, so that loops follow from one closed pose to the next.
    const double range = request.to - request.from;
    const auto valueOf = [&](int i) { return request.from + range * i / (request.samples - 1); };
    const double here = start[scan.slot()];
    const int first = static_cast<int>(
        std::clamp(std::round((here - request.from) / range * (request.samples - 1)), 0.0, request.samples - 1.0));
    std::vector<Look> looks(static_cast<std::size_t>(request.samples));
    const auto lookAt = [&](int i, const std::vector<double>& from) {
        Look& look = looks[static_cast<std::size_t>(i)];
        look = scan.at(from, valueOf(i));
        out.closed = out.closed && look.closed;
    };
    lookAt(first, start);
    // Where loops stay open the next pose starts from the last closed one.
    for (const int way : {1, -1}) {
        const std::vector<double>* from =
            looks[static_cast<std::size_t>(first)].closed ? &looks[static_cast<std::size_t>(first)].q : &start;
        for (int i = first + way; i >= 0 && i < request.samples; i += way) {
            if (stop.stop_requested()) return givenUp();
            lookAt(i, *from);
            if (looks[static_cast<std::size_t>(i)].closed) from = &looks[static_cast<std::size_t>(i)].q;
        }
    }

    for (int i = 0; i < request.samples; ++i) {
        if (stop.stop_requested()) return givenUp();
        const Look& look = looks[static_cast<std::size_t>(i)];
        WrapScan::Sample s;
        s.q = valueOf(i);
        s.touched = look.touched;
        s.sweep = look.sweep;
        s.length = s.moment_arm = s.difference = std::nan("");
        if (look.closed) {
            s.length = look.length;
            s.moment_arm = look.arm;
            if (const auto difference = scan.difference(look)) {
                s.difference = *difference;
                if (!scan.overChange()) out.worst = std::max(out.worst, std::abs(look.arm - *difference));
            }
        }
        out.samples.push_back(std::move(s));
    }

    // A leap of the moment arm stands out against those of the neighbours.
    const auto leap = [&](int i) {
        if (i < 1 || i >= request.samples) return 0.0;
        const double d = looks[static_cast<std::size_t>(i)].arm - looks[static_cast<std::size_t>(i - 1)].arm;
        return std::isfinite(d) ? std::abs(d) : 0.0;
    };
    for (int i = 1; i < request.samples; ++i) {
        if (stop.stop_requested()) return givenUp();
        const Look &x = looks[static_cast<std::size_t>(i - 1)], &y = looks[static_cast<std::size_t>(i)];
        if (!x.closed || !y.closed) continue;
        const bool suspicious = disagreement(x, y, scan.slot()) > kSuspicious * std::max(1.0, std::abs(y.length)) ||
                                leap(i) > 4 * std::max(leap(i - 1), leap(i + 1)) + kKink * 0.1;
        compare(scan, x, y, i, range, suspicious, out);
    }
    if (!out.closed) {
        const auto open = std::count_if(looks.begin(), looks.end(), [](const Look& l) { return !l.closed; });
        if (open == static_cast<std::ptrdiff_t>(looks.size()))
            return fail(fmt::format("the loops cannot be closed with {} anywhere in this range", out.joint));
    }
    return out;
}

std::string wrapScanCsv(const WrapScan& scan) {
    std::string text = fmt::format("# mechwright wrap scan: tendon {} over {}\n", scan.tendon, scan.joint);
    text += fmt::format("# units: q {}, length {}, moment_arm and difference {}, sweeps rad\n", scan.unit_q,
                        scan.unit_length, scan.unit_arm);
    text += "# moment_arm: dl/dq by the gradient; difference: by a central difference of the length\n";
    for (const WrapScan::Event& e : scan.events) {
        const std::string guide = e.guide < 0 ? "the route" : scan.guides[static_cast<std::size_t>(e.guide)];
        const char* what = e.kind == WrapScan::Event::Kind::taken  ? "is taken up"
                           : e.kind == WrapScan::Event::Kind::left ? "is let go"
                                                                   : "jumps";
        text += fmt::format("# at q = {:.12g} {} {}", e.q, guide, what);
        if (leapsInLength(e.length_before, e.length_after))
            text += fmt::format("; the length leaps by {:.6g} {}", e.length_after - e.length_before, scan.unit_length);
        if (leapsInArm(e.arm_before, e.arm_after))
            text += fmt::format("; the moment arm leaps by {:.6g} {}", e.arm_after - e.arm_before, scan.unit_arm);
        text += '\n';
    }
    if (!scan.closed) text += "# fields are empty where loops stay open\n";
    text += "q,length,moment_arm,difference,jump,change";
    for (const std::string& g : scan.guides) {
        std::string column = g;
        std::replace(column.begin(), column.end(), ' ', '_');
        text += fmt::format(",touched.{0},sweep.{0}", column);
    }
    text += '\n';
    for (const WrapScan::Sample& s : scan.samples) {
        text += fmt::format("{}", s.q);
        for (const double x : {s.length, s.moment_arm, s.difference}) addField(text, x);
        text += fmt::format(",{},{}", s.jump ? 1 : 0, s.change ? 1 : 0);
        for (std::size_t g = 0; g < s.touched.size(); ++g)
            text += fmt::format(",{},{}", s.touched[g] ? 1 : 0, s.sweep[g]);
        text += '\n';
    }
    return text;
}

}  // namespace mw
