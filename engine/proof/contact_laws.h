// What the gates of contacts ask: wrenches, energies and readings at poses and velocities. Of a mechanism they are its
// ContactModel's; the proof's own tests put one deliberate fault between.
#pragma once

#include "engine/contact/contact.h"

namespace mw {

class ContactLaws {
public:
    explicit ContactLaws(const Model& model) : contact_(model) {}
    virtual ~ContactLaws() = default;

    const ContactModel& contact() const { return contact_; }
    virtual void setParameters(std::span<const double> param) { contact_.setParameters(param); }
    virtual ContactTotals addForces(std::span<const double> X, std::span<const double> V,
                                    const ContactSettings& settings, std::span<double> anchors, std::span<double> fext,
                                    std::span<double> dissipative) const {
        return contact_.addForces(X, V, settings, anchors, fext, dissipative);
    }
    virtual double energy(std::span<const double> X, const ContactSettings& settings,
                          std::span<const double> anchors) const {
        return contact_.energy(X, settings, anchors).total();
    }
    virtual std::vector<ContactReading> readings(std::span<const double> X, std::span<const double> V,
                                                 const ContactSettings& settings,
                                                 std::span<const double> anchors) const {
        return contact_.readings(X, V, settings, anchors);
    }
    virtual Terrain::Sample terrain(double x, double y) const { return contact_.terrain().at(x, y); }

private:
    ContactModel contact_;
};

}  // namespace mw
