// A notice as a person reads it on a phone: one line with the host, and as Slack and Teams accept it. Pure.
// Never holds more than the notice says, and nothing that those services would take for markup.
#pragma once

#include "vtmirror/core/notice.hpp"

#include <string>

namespace vtmirror::notify {

/// "[vtmirror HOST] delta 20 Nov is damaged (a wrong checksum), downloaded twice"
std::string headline(const core::Notice& notice, const std::string& host);
/// What to do about it; empty if the notice does not say so.
std::string remedy_of(const core::Notice& notice);

/// {"text": "..."}: the form of a Slack incoming webhook.
std::string slack_json(const core::Notice& notice, const std::string& host);
/// A message with one adaptive card: the form of a webhook of Teams Workflows.
std::string teams_json(const core::Notice& notice, const std::string& host);

}  // namespace vtmirror::notify
