// An assembled pose as a patch of the text's `start` values.
#include <algorithm>
#include <cmath>

#include "engine/dynamics/closure.h"
#include "engine/mech/patch.h"

namespace mw {

std::vector<TextEdit> startPatch(const Model& model, const Layout& layout, const mech::SyntaxTree& tree,
                                 std::span<const double> q) {
    std::vector<TextEdit> edits;
    const std::vector<double> old = startQ(model, layout, model.liveValues());
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        const int first = layout.q_of_body[i], count = jointNq(body.joint.type);
        // What differs by rounding alone stays as it is written.
        bool same = true;
        for (int k = first; k < first + count; ++k)
            same = same && std::abs(q[k] - old[k]) <= 2e-15 * std::max(1.0, std::abs(old[k]));
        const mech::Statement* statement = same ? nullptr : tree.find(mech::NameSpace::body, body.name);
        if (!statement) continue;
        // Nor is rounding's dust beside nothing written down.
        std::vector<double> values(q.begin() + first, q.begin() + first + count);
        for (double& x : values)
            if (std::abs(x) <= 2e-15) x = 0;
        const std::vector<TextEdit> edit = mech::setProperty(tree, *statement, "start", mech::numberTexts(values));
        edits.insert(edits.end(), edit.begin(), edit.end());
    }
    return edits;
}

}  // namespace mw
