#include "vtmirror/report/advice.hpp"

#include <doctest/doctest.h>

#include <string>

namespace vtmirror::report {
namespace {

struct Row {
  Unanswered unanswered;
  std::string advice;
};

TEST_CASE("without a daemon each user reads how the daemon in question is started") {
  const std::string file = "/srv/v.toml";
  for (const auto& row : {
           Row{{.daemon = AskedDaemon::system},
               "start it with `sudo systemctl start vtmirror`, or give its socket with --socket; for a mirror of your "
               "own, begin with `vtmirror config init`"},
           Row{{.daemon = AskedDaemon::system, .is_root = true},
               "start it with `systemctl start vtmirror`, or give its socket with --socket"},
           Row{{.daemon = AskedDaemon::own},
               "start it with `systemctl --user start vtmirror`, or in the foreground with `vtmirror run`, or give its "
               "socket with --socket"},
           Row{{.daemon = AskedDaemon::named, .settings = file},
               "start it with `vtmirror run --config /srv/v.toml`, or give its socket with --socket"},
           Row{{.daemon = AskedDaemon::other}, "start its daemon, or give another socket with --socket"},
           Row{{.daemon = AskedDaemon::unknown, .settings = file},
               "that is the default socket, because a mistake in /srv/v.toml hides the one that it names: see "
               "`vtmirror config check --config /srv/v.toml`, or give its socket with --socket"},
       })
    CHECK(advice(row.unanswered) == row.advice);
}

TEST_CASE("somebody without settings reads the first step instead") {
  for (const auto& row : {
           Row{{.daemon = AskedDaemon::none},
               "there are no settings yet: begin with `vtmirror config init`, or for a server with `sudo vtmirror "
               "config init`"},
           Row{{.daemon = AskedDaemon::none, .is_root = true},
               "there are no settings yet: begin with `vtmirror config init`"},
           Row{{.daemon = AskedDaemon::none, .settings = "v.toml"},
               "there is no settings file v.toml: make it with `vtmirror config init --output v.toml`, or give another "
               "with --config"},
       })
    CHECK(advice(row.unanswered) == row.advice);
}

TEST_CASE("a daemon that hangs is looked at and restarted, not started") {
  for (const auto& row : {
           Row{{.daemon = AskedDaemon::system, .hangs = true},
               "see `sudo journalctl -u vtmirror` for what it does, or restart it with `sudo systemctl restart "
               "vtmirror`"},
           Row{{.daemon = AskedDaemon::system, .is_root = true, .hangs = true},
               "see `journalctl -u vtmirror` for what it does, or restart it with `systemctl restart vtmirror`"},
           Row{{.daemon = AskedDaemon::own, .hangs = true},
               "see `journalctl --user -u vtmirror` for what it does, or restart it with `systemctl --user restart "
               "vtmirror`"},
           Row{{.daemon = AskedDaemon::named, .hangs = true, .settings = "v.toml"},
               "see its log for what it does, or end it and start it again"},
       })
    CHECK(advice(row.unanswered) == row.advice);
}

TEST_CASE("the unit of a daemon is named where it is known, as the user in question reaches it") {
  CHECK(unit_command({.daemon = AskedDaemon::system}, "reload") == "`sudo systemctl reload vtmirror`");
  CHECK(unit_command({.daemon = AskedDaemon::system, .is_root = true}, "stop") == "`systemctl stop vtmirror`");
  CHECK(unit_command({.daemon = AskedDaemon::own}, "reload") == "`systemctl --user reload vtmirror`");
  for (const auto daemon : {AskedDaemon::none, AskedDaemon::named, AskedDaemon::other, AskedDaemon::unknown})
    CHECK(unit_command({.daemon = daemon}, "reload").empty());
}

}  // namespace
}  // namespace vtmirror::report
