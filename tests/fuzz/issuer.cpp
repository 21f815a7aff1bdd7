#include "fuzz/targets.hpp"
#include "vtmirror/base/known_secrets.hpp"
#include "vtmirror/core/answer.hpp"
#include "vtmirror/core/token.hpp"

#include <algorithm>

namespace vtmirror::fuzz {

void token(std::string_view input) {
  if (const auto token = core::parse_token(input)) {
    const auto text = token->text.reveal();
    demand(!text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7f; }),
           "a token fits a header");
    demand(token->lifetime.count() > 0 && token->lifetime <= std::chrono::hours(1), "a token lives an hour at most");
    demand(core::token_usable_for(token->lifetime) < token->lifetime, "a token is used only while it lives");
  }
  if (const auto secret = core::parse_new_secret("application/json", input))
    demand(core::secret_fault(secret->reveal()).empty(), "a new secret is valid");
}

/// The first byte chooses the status, the second the reader.
void refusal(std::string_view input) {
  // No eight characters of it are a sentence's own words: "-secret-" counts as " secret ", and would be found there.
  static const std::string secret = "Qx7~fuzz-s3cr3t-42";
  static const auto* known = [] {
    auto* made = new base::KnownSecrets;  // lives as long as the process
    made->add(base::Secret(secret));
    return made;
  }();
  if (input.size() < 2) return;
  const core::FailedAnswer answer{.status = 400 + static_cast<unsigned char>(input[0]) % 200,
                                  .body = input.substr(2),
                                  .retry_after = core::retry_after(input.substr(2), std::nullopt),
                                  .known = known};
  base::Error (*const readers[])(const core::FailedAnswer&) = {core::api_error, core::token_error, core::store_error};
  const auto error = readers[static_cast<unsigned char>(input[1]) % 3](answer);
  demand(!known->appear_in(error.detail), "no error quotes a secret");
  demand(!known->appear_in(error.service_code), "no code is a secret");
  demand(error.detail.size() < 2048, "an error stays short");
  demand(std::ranges::none_of(error.detail, [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
         "an error is printable");
  demand(!answer.retry_after || answer.retry_after->count() >= 0, "nobody waits for the past");
}

}  // namespace vtmirror::fuzz
