// Gathers what there is to say about a text: each finding has a code from one table (which docs/diagnostics.md is made
// from), quotes are clipped, the number of findings and the work spent on suggestions are bounded.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/diagnostic.h"

namespace mw::mech {

/// One row per code: name and explanation stand in findings.cpp, in the same order.
enum class Code {
    text_too_large,
    too_many_statements,
    too_many_properties,
    too_many_values,
    too_many_findings,
    not_utf8,
    bad_character,
    bad_number,
    unclosed_string,
    unclosed_parenthesis,
    stray_parenthesis,
    nesting_too_deep,
    missing_header,
    misplaced_header,
    newer_version,
    unknown_keyword,
    unknown_name,
    unknown_choice,
    missing_value,
    extra_value,
    wrong_value,
    missing_property,
    missing_name,
    repeated_property,
    repeated_statement,
    conflicting_properties,
    needs_parentheses,
    old_form,
    bad_name,
    reserved_name,
    duplicate_name,
    bad_expression,
    expression_too_large,
    not_finite,
    out_of_range,
    definition_cycle,
    parent_cycle,
    unused_parameter,
    live_not_allowed,
    time_not_allowed,
    looks_like_degrees,
    zero_axis,
    axes_not_perpendicular,
    floating_not_on_base,
    not_read_here,
    not_scalar,
    wrong_count,
    bad_curve,
    crossed_range,
    start_outside_range,
    quaternion_not_unit,
    zero_quaternion,
    negative_inertia,
    impossible_inertia,
    no_inertia,
    singular_start,
    singular_range,
    zero_length,
    loop_open,
    loop_idle,
    loop_unclosable,
    loop_redundant,
    loop_unjudged,
    no_effect,
    mesh_not_found,
    mesh_format,
    needs_fext,
    too_few_rollers,
    no_end_roller,
    roller_place,
    roller_idle,
    track_laid,
    track_not_laid,
    track_overlap,
    track_length,
    link_too_long,
    tooth_pitch,
    names_shoe,
    grid_not_found,
    grid_not_read,
    grid_format,
    steps_overlap,
    too_few_sites,
    guide_place,
    pulley_place,
    site_twice,
    end_inside,
    coupled_to_itself,
    margins_overlap,
    creep,
    no_target,
    range_without_zero,
    driven_twice,
    start_off_motion,
    not_by_solver,
    not_yet,
    not_enforced,
    not_used
};

struct CodeInfo {
    const char* name;         ///< as users see it: "unknown-name"
    const char* severity;     ///< "error", "warning", "info"
    const char* explanation;  ///< what it means and what to do
};
const CodeInfo& info(Code code);
/// All codes, in the order of the enumeration.
const std::vector<CodeInfo>& allCodes();
/// docs/diagnostics.md.
std::string diagnosticsReference();

/// A piece of a text for a message: in quotes, at most 40 characters, malformed bytes as \xNN.
std::string quote(std::string_view text);

class Findings {
public:
    /// Most that are kept; beyond it one finding says how many more there are.
    static constexpr std::size_t kMost = 1000;

    Diagnostic& error(Code code, TextRange range, std::string message) {
        return add(code, Severity::error, range, std::move(message));
    }
    Diagnostic& warning(Code code, TextRange range, std::string message) {
        return add(code, Severity::warning, range, std::move(message));
    }
    Diagnostic& note(Code code, TextRange range, std::string message) {
        return add(code, Severity::info, range, std::move(message));
    }
    /// Findings of an earlier stage.
    void adopt(std::vector<Diagnostic> earlier);

    std::size_t errors() const { return errors_; }
    /// All, in order of place. Leaves nothing behind.
    std::vector<Diagnostic> take();

    /// The candidate nearest to `word`, empty when none is near. Work is bounded over the life of these findings.
    std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);
    /// "did you mean 'x'?" and the edit, where a candidate is near.
    void suggest(Diagnostic& finding, std::string_view word, const std::vector<std::string_view>& candidates);

private:
    Diagnostic& add(Code code, Severity severity, TextRange range, std::string message);
    std::vector<Diagnostic> found_;
    Diagnostic spare_;  // takes what is beyond the most
    std::size_t dropped_ = 0;
    std::size_t errors_ = 0;
    bool dropped_error_ = false;
    TextRange last_{};
    std::size_t budget_ = 20'000'000;  // characters compared for suggestions
};

}  // namespace mw::mech
