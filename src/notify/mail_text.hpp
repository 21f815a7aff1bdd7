// A notice as a mail message. Pure.
// Promises that no text of a notice can add or end a header, and that the same notice gets the same Message-ID.
#pragma once

#include "vtmirror/core/notice.hpp"
#include "vtmirror/notify/channels.hpp"

#include <string>
#include <string_view>

namespace vtmirror::notify {

/// Header and body with lines ended by "\n", as a sendmail program reads them.
std::string mail_text(const core::Notice& notice, const MailSettings& settings);

/// The text of a header: unchanged if it is printable ASCII, otherwise as encoded words of RFC 2047.
std::string header_text(std::string_view text);
/// Quoted-printable (RFC 2045, 6.7), with lines of at most 76 characters.
std::string quoted_printable(std::string_view text);

}  // namespace vtmirror::notify
