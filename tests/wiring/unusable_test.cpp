#include "wiring/unusable.hpp"

#include <doctest/doctest.h>

using namespace vtmirror;
using base::Errc;

namespace {

base::Error about(const std::string& subject, Errc code = Errc::io) {
  return {.code = code, .detail = subject + ": cannot open: no", .subject = subject};
}

}  // namespace

TEST_CASE("a place that cannot be used is named whole, with its key") {
  const auto below = wiring::unusable("mirror.directory", "/srv/mirror", about(".vtmirror/lock"));
  CHECK(below.code == Errc::config);
  CHECK(below.detail.starts_with("mirror.directory cannot be used: /srv/mirror/.vtmirror/lock: cannot open: no\n"));
  const auto whole = wiring::unusable("mirror.directory", "/srv/mirror", about("/srv"));
  CHECK(whole.detail.starts_with("mirror.directory cannot be used: /srv: cannot open: no\n"));
  const auto unnamed = wiring::unusable("mirror.catalogue", "/srv/c.db", {Errc::io, "/srv/c.db: no permission"});
  CHECK(unnamed.detail.starts_with("mirror.catalogue cannot be used: /srv/c.db: no permission\n"));
  const auto held = about("vtmirror sync", Errc::locked);
  CHECK(wiring::unusable("mirror.directory", "/srv/mirror", held) == held);
}

TEST_CASE("an error names the setting of the socket's path or of the metrics' address") {
  const auto names = [](const base::Error& error, const std::string& key) {
    return wiring::unusable_socket(error, "/run/c.sock").detail.starts_with(key + " cannot be used: ");
  };
  CHECK(names(about("/run/c.sock"), "control.socket"));
  CHECK(names(about("/run/c.sock", Errc::config), "control.socket"));
  CHECK(names({Errc::io, "127.0.0.1:9100: in use"}, "control.metrics"));
  const base::Error group{Errc::config, "control.group: there is no group x"};
  CHECK(wiring::unusable_socket(group, "/run/c.sock") == group);
}
