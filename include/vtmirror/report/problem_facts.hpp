// What is said of a problem, to whom and in which order, as far as its code alone decides it: one row a code. Pure.
// Promises that the program does not compile without a row for each code of `core::problem_kinds`, in their order.
#pragma once

#include "vtmirror/core/problem.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace vtmirror::report {

/// How urgent it is beside others.
enum class Rank {
  access,  ///< only a person can end it, and until then nothing else ends; or what is shown may be out of date
  cycle,   ///< the whole cycle failed
  error,   ///< of a file, or of the disk
  warning,
};

/// What it means for a monitor (`status --check`).
enum class Monitored {
  warning,   ///< a warning, and critical if the last cycle failed and the problem is an error
  critical,  ///< by itself
  unknown,   ///< what is known may be long past
};

/// What knows best what to do about it.
enum class Advised {
  by_code,   ///< the problem alone
  by_error,  ///< the error behind it: it is a failure of a cycle
};

/// Whether the next cycle tries again what it is about.
enum class Tried {
  never,
  always,
  as_file,  ///< that depends on the file
};

/// What of a `sync` says it to a person who watches.
enum class SaidBy {
  event,    ///< the event that it began
  outcome,  ///< its summary, or a line of the file or entry
};

/// Whose refusal it is: then it explains a cycle that ended as forbidden.
enum class Refused { nothing, credential };

struct ProblemFacts {
  core::ProblemCode code;
  Rank rank;
  Monitored monitored;
  Advised advised;
  Tried tried;
  SaidBy said_by;
  Refused refused;
};

inline constexpr std::array problem_facts{
    ProblemFacts{core::ProblemCode::late_delta, Rank::warning, Monitored::warning, Advised::by_code, Tried::always,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::cycle_failed, Rank::cycle, Monitored::warning, Advised::by_error, Tried::always,
                 SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::empty_listing, Rank::cycle, Monitored::warning, Advised::by_error, Tried::always,
                 SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::missing_files, Rank::error, Monitored::warning, Advised::by_error, Tried::always,
                 SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::damaged_file, Rank::error, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::quarantined_file, Rank::error, Monitored::warning, Advised::by_error,
                 Tried::as_file, SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::refused_entry, Rank::warning, Monitored::warning, Advised::by_code, Tried::always,
                 SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::low_space, Rank::error, Monitored::warning, Advised::by_error, Tried::always,
                 SaidBy::outcome, Refused::nothing},
    ProblemFacts{core::ProblemCode::secret_expires, Rank::warning, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::secret_expired, Rank::access, Monitored::critical, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::secret_refused, Rank::access, Monitored::warning, Advised::by_code, Tried::always,
                 SaidBy::outcome, Refused::credential},
    ProblemFacts{core::ProblemCode::key_idle, Rank::warning, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::key_revoked, Rank::access, Monitored::warning, Advised::by_code, Tried::always,
                 SaidBy::outcome, Refused::credential},
    ProblemFacts{core::ProblemCode::channel_failing, Rank::warning, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::catalogue_rebuilt, Rank::warning, Monitored::warning, Advised::by_code,
                 Tried::never, SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::settings_refused, Rank::warning, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::repair_failed, Rank::error, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::disk_forecast, Rank::warning, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::consumer_behind, Rank::warning, Monitored::warning, Advised::by_code, Tried::never,
                 SaidBy::event, Refused::nothing},
    ProblemFacts{core::ProblemCode::catalogue_unreadable, Rank::access, Monitored::unknown, Advised::by_code,
                 Tried::never, SaidBy::event, Refused::nothing},
};

static_assert(
    [] {
      for (std::size_t i = 0; i < problem_facts.size(); ++i)
        if (problem_facts[i].code != static_cast<core::ProblemCode>(i)) return false;
      return problem_facts.size() == core::problem_kinds.size();
    }(),
    "each code has its row, at its index");

constexpr const ProblemFacts& facts_of(core::ProblemCode code) noexcept {
  return problem_facts[static_cast<std::size_t>(code)];
}
/// By the name as it is sent; nothing for a code of another version.
inline std::optional<ProblemFacts> facts_of(std::string_view name) noexcept {
  const auto code = core::problem_code(name);
  return code ? std::optional(facts_of(*code)) : std::nullopt;
}

}  // namespace vtmirror::report
