// The records of kept secrets as text, a line each: FINGERPRINT TIME service|person GIVEN DATE, with - for none and ?
// for what could not be known. Holds no secret.
#pragma once

#include "vtmirror/core/expiry.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::mirror {

std::string issues_text(const std::vector<core::SecretIssue>& issues);
/// Lines that cannot be read are passed over: a record is a help, and the secret works without it.
std::vector<core::SecretIssue> read_issues(std::string_view text);

}  // namespace vtmirror::mirror
