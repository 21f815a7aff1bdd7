#include "notify/channel_rig.hpp"

#include <boost/asio/steady_timer.hpp>

#include <doctest/doctest.h>

#include <filesystem>

namespace vtmirror::test {
namespace {

/// A sendmail program that does what the script says.
std::shared_ptr<ports::Channel> mail(ChannelRig& rig, const std::string& script, const std::string& from = "") {
  const auto program = rig.in("sendmail");
  write_file(program, "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  return notify::make_mail(rig.resources(),
                           {.program = program, .from = from, .to = "ops@fleet.example", .host = "store1"});
}

TEST_CASE("the sendmail program gets sender and receiver as arguments, and the message on stdin") {
  ChannelRig rig;
  const auto script = "echo \"$@\" > " + rig.in("arguments") + "; cat > " + rig.in("message");
  REQUIRE(rig.log(mail(rig, script, "mirror@fleet.example"), published()));
  CHECK(read_file(rig.in("arguments")) == "-i -f mirror@fleet.example -- ops@fleet.example\n");
  CHECK(read_file(rig.in("message")).find("\nMessage-ID: <0123abcd@fleet.example>\n") != std::string::npos);
  REQUIRE(rig.log(mail(rig, script), published()));
  CHECK(read_file(rig.in("arguments")) == "-i -- ops@fleet.example\n");
  CHECK(read_file(rig.in("message")).starts_with("To: ops@fleet.example\n"));
}

TEST_CASE("75 and 69 are temporary, 65 and 77 are permanent, and the program's message is reported") {
  ChannelRig rig;
  struct Case {
    int status;
    base::Errc code;
  };
  for (const auto& each :
       {Case{75, base::Errc::unreachable}, Case{69, base::Errc::unreachable}, Case{65, base::Errc::forbidden},
        Case{77, base::Errc::forbidden}, Case{1, base::Errc::forbidden}}) {
    CAPTURE(each.status);
    const auto logged =
        rig.log(mail(rig, "echo 'server said no' >&2; exit " + std::to_string(each.status)), published());
    REQUIRE_FALSE(logged);
    CHECK(logged.error().code == each.code);
    CHECK(logged.error().detail.find("exit status " + std::to_string(each.status)) != std::string::npos);
    CHECK(logged.error().detail.ends_with("server said no"));
  }
}

TEST_CASE("a message that is under way at the stop is sent to its end, so that it does not come twice") {
  ChannelRig rig;
  boost::asio::steady_timer bell(rig.loop, std::chrono::milliseconds(200));
  bell.async_wait([&rig](boost::system::error_code) { rig.stop.request(); });
  CHECK(rig.log(mail(rig, "sleep 0.6"), published()));
}

TEST_CASE("a sendmail program that hangs is ended by the stop all the same") {
  ChannelRig rig;
  boost::asio::steady_timer bell(rig.loop, std::chrono::milliseconds(200));
  bell.async_wait([&rig](boost::system::error_code) { rig.stop.request(); });
  const auto logged = rig.log(mail(rig, "sleep 1000"), published());
  REQUIRE_FALSE(logged);
  CHECK(logged.error().code == base::Errc::cancelled);
}

}  // namespace
}  // namespace vtmirror::test
