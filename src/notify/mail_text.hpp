// A notice as a mail message. Pure.
// Promises that nothing in a notice can add a header or end one, and that the same notice gives the same Message-ID.
#pragma once

#include "vtmirror/core/notice.hpp"
#include "vtmirror/notify/channels.hpp"

#include <string>
#include <string_view>

namespace vtmirror::notify {

/// Header and body, lines ended by "\n", as a sendmail program reads it.
std::string mail_text(const core::Notice& notice, const MailSettings& settings);

/// Text of a header: as it is when it is printable ASCII, otherwise in encoded words of RFC 2047.
std::string header_text(std::string_view text);
/// RFC 2045 6.7: lines of at most 76 characters.
std::string quoted_printable(std::string_view text);

}  // namespace vtmirror::notify
