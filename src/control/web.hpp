// What a browser may ask at the status page's address: the page, its files, and reads of /v1/.
// Promises that a page of another site learns nothing and can only link to the page: a name in `Host` that is not this
// machine's is refused, and so is what a browser says such a page asks for; nothing changes anything, and every answer
// forbids frames, scripts and styles of elsewhere, referrers and caching. Errors are plain text.
#pragma once

#include "control/request.hpp"
#include "vtmirror/control/control.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vtmirror::control {

/// Which hosts a browser may name. An attacker can make any name of its own lead to this machine (DNS rebinding), but
/// not "localhost", an IP address or the machine's own name.
struct WebHosts {
  std::vector<std::string> names{};  ///< lower case
  bool loopback_only = true;         ///< of IP addresses, only those of the loopback interface
};

/// "localhost" and the machine's own name, without its domain too.
WebHosts known_hosts(bool loopback_only);

/// `host` as in the field Host. Its port does not count: a tunnel or a container may have another one.
bool is_known(const WebHosts& hosts, std::string_view host);

/// Why a browser gets no answer to that request, whatever it asks for: a foreign name in `Host`, or a page of another
/// site. Empty: it gets one. The words say of either what is wrong.
std::optional<Answer> objection_to_origin(const Request& request, const WebHosts& hosts, const std::string& wrong_name,
                                          const std::string& wrong_site);

/// The caller must keep `request` and `hosts` until the answer is there.
boost::asio::awaitable<Answer> web_answer(const Request& request, const WebHosts& hosts, Answers& answers);

/// The same answer with the head that browsers need; of an error, the message alone, as plain text. `host`: as the
/// request names it; empty: not known.
Answer for_browsers(Answer answer, std::string_view host = {});

}  // namespace vtmirror::control
