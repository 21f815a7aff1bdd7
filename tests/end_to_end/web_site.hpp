// A daemon with the status page at a free port, and a client of it.
// Never opens the page itself: tests/browser does.
#pragma once

#include "end_to_end/daemon_site.hpp"
#include "end_to_end/listener.hpp"

#include <string>
#include <vector>

namespace vtmirror::test {

struct WebSite : Site {
  explicit WebSite(const std::string& rest = "") : Site(rest) {
    rig.set("control", "web", "\"127.0.0.1:" + std::to_string(port) + "\"");
  }

  /// The answer with its head; `more`: further arguments of curl.
  std::string get(const std::string& path, std::vector<std::string> more = {}) const {
    std::vector<std::string> line{"curl", "-s", "-i", "--max-time", "60", "--path-as-is"};
    line.insert(line.end(), more.begin(), more.end());
    line.push_back(address() + path);
    const auto ended = run(line);
    return ended.out;
  }
  std::string address() const { return "http://127.0.0.1:" + std::to_string(port); }

  int port = free_port();

 private:
  static int free_port() {
    const Listener listener;
    return listener.port();
  }
};

}  // namespace vtmirror::test
