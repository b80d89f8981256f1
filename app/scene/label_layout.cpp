// Greedy by priority: each label takes the cheapest of sixteen directions at five distances that is still free.
#include "app/scene/label_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace mw::scene {

namespace {
constexpr int kDirections = 16, kRings = 5;
constexpr double kRing[kRings] = {12, 30, 56, 92, 132};
constexpr double kHiding = 90;  // cost of hiding what is drawn: more than the way to the outermost ring
}  // namespace

std::vector<PlacedLabel> LabelLayout::place(const std::vector<LabelRequest>& labels, double width, double height,
                                            const std::vector<Rect>& obstacles, double gap,
                                            const std::function<double(const Rect&)>& hides) {
    std::vector<PlacedLabel> result(labels.size());
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return labels[a].priority > labels[b].priority; });

    const double unit = gap / 4;  // px: rings grow with the display's scale as the gap does
    std::vector<Rect> taken = obstacles;
    std::map<std::uint64_t, int> slots;
    for (std::size_t i : order) {
        const LabelRequest& l = labels[i];
        if (!l.anchor.allFinite() || l.anchor.x() < 0 || l.anchor.y() < 0 || l.anchor.x() > width ||
            l.anchor.y() > height)
            continue;
        Vec2 wanted = l.toward.norm() > 1e-9 ? Vec2(l.toward.normalized()) : Vec2(0.8, -0.6);
        auto known = slots_.find(l.key);
        double best_cost = std::numeric_limits<double>::infinity();
        int best = -1;
        Rect best_box;
        for (int slot = 0; slot < kDirections * kRings; ++slot) {
            double angle = 2 * std::numbers::pi * (slot % kDirections) / kDirections;
            Vec2 direction(std::cos(angle), std::sin(angle));
            // The box touches the ring with the side that faces the anchor.
            Vec2 half = l.size / 2;
            Vec2 centre = l.anchor + direction * (kRing[slot / kDirections] * unit) + direction.cwiseProduct(half);
            Rect box{centre.x() - half.x(), centre.y() - half.y(), l.size.x(), l.size.y()};
            if (box.x < 2 || box.y < 2 || box.x + box.width > width - 2 || box.y + box.height > height - 2) continue;
            if (std::any_of(taken.begin(), taken.end(), [&](const Rect& r) { return r.overlaps(box, gap); })) continue;
            double cost = (1 - direction.dot(wanted)) * 12 + kRing[slot / kDirections] * 0.6;
            // Covering another's anchor hides what that label speaks of.
            for (std::size_t o = 0; o < labels.size(); ++o) {
                if (o != i && box.contains(labels[o].anchor)) cost += 18;
            }
            if (known != slots_.end() && known->second == slot) cost -= hides ? 16 : 9;
            if (cost < best_cost && hides) cost += kHiding * hides(box);
            if (cost < best_cost) best_cost = cost, best = slot, best_box = box;
        }
        if (best < 0) continue;
        slots[l.key] = best;
        taken.push_back(best_box);
        result[i] = {true, best_box, best / kDirections >= 1};
    }
    slots_ = std::move(slots);
    return result;
}

}  // namespace mw::scene
