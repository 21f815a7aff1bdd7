// The records of stored secrets as text, one line each: FINGERPRINT TIME service|person GIVEN DATE, with - for none and
// ? for unknown. Holds no secret.
#pragma once

#include "vtmirror/core/expiry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

std::string issues_text(const std::vector<core::SecretIssue>& issues);
/// Lines that cannot be read are skipped: the secret works without its record.
std::vector<core::SecretIssue> read_issues(std::string_view text);

}  // namespace vtmirror::mirror
