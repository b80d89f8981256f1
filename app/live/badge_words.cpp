// The words of the proof badge and of the jobs.
#include "app/live/badge_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace mw::app {

namespace {

std::string capitalised(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

}  // namespace

Badge makeBadge(Badge::State state, const std::string& text, std::string detail, double progress) {
    return {state, progress, capitalised(text), std::move(detail), {}, text};
}

Badge proofBadge(const ProofReport& proof, const OutsideOpinion* outside) {
    const auto applies =
        std::count_if(proof.gates.begin(), proof.gates.end(), [](const Gate& g) { return !g.skipped; });
    if (proof.passed() && outside && outside->verdict == OutsideOpinion::Verdict::disagree) {
        Badge badge = makeBadge(Badge::State::contradicted, "contradicted outside",
                                "proven by the reference, but " + outside->words, 1);
        badge.outside = "outside opinion: " + outside->words;
        badge.words.append(" · ").append(badge.detail);
        return badge;
    }
    if (proof.passed()) {
        std::string detail = fmt::format("{} gate{} · worst {:.1e}", applies, applies == 1 ? "" : "s", proof.worst());
        Badge badge = makeBadge(Badge::State::proven, "proven", detail, 1);
        badge.words.append(" · ").append(detail);
        if (outside) badge.outside = "outside opinion: " + outside->words;
        return badge;
    }
    for (const Gate& gate : proof.gates)
        if (!gate.pass) return makeBadge(Badge::State::failed, "failed: " + gate.name, gate.detail);
    return makeBadge(Badge::State::failed, "failed: no gates", "the proof held nothing that applies to this mechanism");
}

const char* jobName(Job::Kind kind) {
    switch (kind) {
        case Job::Kind::derive: return "derive";
        case Job::Kind::compile_fast: return "compile";
        case Job::Kind::compile_optimised: return "optimise";
        case Job::Kind::validate: return "validate";
        case Job::Kind::crosscheck: return "crosscheck";
    }
    return "";
}

const char* jobStatusName(Job::Status status) {
    switch (status) {
        case Job::Status::waiting: return "waiting";
        case Job::Status::running: return "running";
        case Job::Status::done: return "done";
        case Job::Status::failed: return "failed";
        case Job::Status::cancelled: return "cancelled";
    }
    return "";
}

}  // namespace mw::app
