// Penalty contacts in the shape of the contract, and in words.
#include "app/cli/contacts_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <iostream>

namespace mw::cli {

namespace {

Json array(const Vector3d& v) { return Json::array({v[0], v[1], v[2]}); }

std::string bodyName(const Model& model, int body) {
    return body == kBase ? "base" : model.bodies[static_cast<std::size_t>(body)].name;
}

double size(const Json& v) {
    if (v.is_null()) return 0;
    return std::hypot(v[0].get<double>(), v[1].get<double>(), v[2].get<double>());
}

}  // namespace

Json contactsJson(const Model& model, std::span<const ContactReading> contacts, std::optional<double> dt) {
    Json all = Json::array();
    for (const ContactReading& c : contacts) {
        Json one = {{"id", c.id},
                    {"pair", Json::array({bodyName(model, c.a), bodyName(model, c.b)})},
                    {"point", array(c.point)},
                    {"normal", array(c.normal)},
                    {"depth", c.depth},
                    {"normal_force", c.normal_force},
                    {"friction", array(c.friction)},
                    {"force_on_b", array(c.force)}};
        if (dt) one["impulse"] = array({c.force[0] * *dt, c.force[1] * *dt, c.force[2] * *dt});
        else one["impulse"] = nullptr;
        // The law is a formula of the state: nothing iterates, nothing is left over.
        one["solver"] = "penalty";
        one["pass"] = "penalty";
        one["status"] = "exact";
        one["residual"] = 0.0;
        one["generation"] = 0;
        one["state"] = contactStateName(c.state);
        if (!dt) one["states"] = {{"impulse", "not computed"}};
        all.push_back(std::move(one));
    }
    return all;
}

void printContacts(const Json& contacts, std::size_t most) {
    if (contacts.empty()) return;
    std::vector<const Json*> order;
    for (const Json& c : contacts) order.push_back(&c);
    std::stable_sort(order.begin(), order.end(),
                     [](const Json* a, const Json* b) { return size((*a)["force_on_b"]) > size((*b)["force_on_b"]); });
    // Without a step the contacts of shapes have no force yet.
    const auto solved =
        std::count_if(contacts.begin(), contacts.end(), [](const Json& c) { return !c["force_on_b"].is_null(); });
    std::cout << (solved > 0 ? fmt::format("\n{} contacts; the greatest forces (N, on the second by the first)\n",
                                           contacts.size())
                             : fmt::format("\n{} contacts; their forces are not computed (--dt solves a step)\n",
                                           contacts.size()));
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
        const Json& c = *order[i];
        if (c["force_on_b"].is_null()) {
            std::cout << fmt::format("     {:<28} depth {:>8.3g} mm\n", c["id"].get<std::string>(),
                                     1e3 * c["depth"].get<double>());
            continue;
        }
        std::cout << fmt::format("     {:<28} {:>10.4g}  normal {:>10.4g}  friction {:>10.4g}  depth {:>8.3g} mm  {}\n",
                                 c["id"].get<std::string>(), size(c["force_on_b"]), c["normal_force"].get<double>(),
                                 size(c["friction"]), 1e3 * c["depth"].get<double>(), c["state"].get<std::string>());
    }
    if (order.size() > most) std::cout << fmt::format("     and {} more (--json lists all)\n", order.size() - most);
}

}  // namespace mw::cli
