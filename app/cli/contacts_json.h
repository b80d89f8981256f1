// Contacts as `mech eval` gives them: one object a loaded contact, with where its numbers come from.
#pragma once

#include <optional>
#include <span>

#include "app/cli/support.h"
#include "engine/contact/contact.h"

namespace mw::cli {

/// `dt`: the step that the forces are of; none: those of the state alone, whose impulses are not computed.
Json contactsJson(const Model& model, std::span<const ContactReading> contacts, std::optional<double> dt);

/// A line a contact for people, those with the greatest forces first, at most `most`.
void printContacts(const Json& contacts, std::size_t most = 12);

}  // namespace mw::cli
