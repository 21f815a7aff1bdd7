// Failures and problems in words for people, and what to do about a problem.
// Pure. Nothing is decided by what they return. Also the notice of a problem.
#pragma once

#include "vtmirror/core/history.hpp"
#include "vtmirror/core/notice.hpp"
#include "vtmirror/core/problem.hpp"
#include "vtmirror/core/rotation_end.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::report {

/// Fields of the problem that settings were refused: a mistake each ("mistake_1"), or a changed key each that only a
/// start reads ("restart_1"; version 0.1.0 had all of them in "restart").
inline constexpr char mistake_field[] = "mistake_";
inline constexpr char restart_field[] = "restart_";
inline constexpr char all_restart_field[] = "restart";

/// A field of a failed cycle that is over because the cycle now fails in another way: nothing of it was resolved.
inline constexpr char replaced_field[] = "replaced";

/// Whether settings were refused only because a running daemon cannot change them: they have no mistake.
bool needs_only_a_restart(const core::Cause& cause);

/// How a sentence calls a file of the service: "delta 18 Nov", or by its path if a program reads it.
enum class Names { brief, paths };

/// "no byte from store.example for 30 s", "it needs 40.0 GB, and 2.00 GB are free ...: 38.0 GB short": without the
/// subject, and without the code.
std::string reason(const core::Cause& cause);
/// The same of an error about `subject`, which its text may begin with.
std::string reason(const base::Error& error, std::string_view subject);
/// The same with the subject before it, if there is one.
std::string sentence(const core::Cause& cause, Names names = Names::brief);

/// As the history shows it: "delta 18 Nov: no byte from ...".
std::string sentence(const core::Failure& failure, Names names = Names::brief);
/// The same; empty if there is none.
std::string sentence(const std::optional<core::Failure>& failure);
/// Why the cycle is not complete, as a sentence; empty when it is complete.
std::string reason(const core::CycleReport& report, Names names = Names::brief);

/// How the daemon's own rotation of the client secret ended; empty if none began or it still runs.
std::string sentence(const core::RotationEnd& end);

/// What is wrong, in one sentence.
std::string sentence(const core::Problem& problem, Names names = Names::brief);
/// The same in few words and without addresses: for a mail's subject, of which a telephone shows little. Empty
/// if the sentence serves.
std::optional<std::string> headline(const core::Problem& problem);
/// What to do about it, in one sentence.
std::string_view remedy(core::ProblemCode code) noexcept;
/// The same, by what is known of its cause.
std::string remedy(const core::Problem& problem);
/// "resolved: delta 20 Nov was published": the message when it is over. `published` or `listed`, fields of its cause,
/// are the path of the file that came. Not called resolved where `replaced_field` is set.
std::string resolved(const core::Problem& problem);

/// The current problem that corresponds to `error`, with which a cycle ended before it could try anything; null if
/// there is none.
const core::Problem* problem_of(const base::Error& error, const std::vector<core::Problem>& problems);

/// Whether the next cycle tries again what the problem is about: of quarantined files a delta, not a bulk file, which
/// is downloaded once a day, nor a file in whose check the program ended.
bool is_tried_by_cycle(const core::Problem& problem);
/// The next cycle, if one is certain to follow.
struct NextTry {
  std::optional<base::Time> at{};
  std::string words{};  ///< "08:13", "tomorrow 08:00": by the machine's clock, as in the status
};
/// "; next try 08:13"; empty if there is none, or if it does not concern the problem.
std::string next_try(const core::Problem& problem, const NextTry& next);

/// What the sentence for a secret that has expired ends in: no rotation helps any more.
inline constexpr char support_only[] =
    "only a support request to the service helps now: ask for a new secret, then run `vtmirror secret set`";

/// For a code as a status carries it, which may be that of a newer daemon: a warning then, with general advice.
core::Severity severity(std::string_view problem_code) noexcept;
std::string_view remedy(std::string_view problem_code) noexcept;

/// What the channels send of a problem. Pure.
/// A problem began, or is over; the sentence says what to do while it lasts.
core::Notice problem_notice(const core::Problem& problem, core::Stage stage, base::Time at, const NextTry& next = {});

}  // namespace vtmirror::report
