#include "control/caller.hpp"
#include "control/daemon.hpp"

#include <doctest/doctest.h>

#include <list>

namespace vtmirror::test {
namespace {

using std::chrono::milliseconds;

Caller follower_of(const Daemon& daemon) {
  Caller caller(daemon.path());
  const auto head = caller.get("/v1/events");
  CHECK(caller.next_through("\n\n").starts_with("event: status\n"));
  CHECK(head.status == 200);
  CHECK(head.has("Content-Type: text/event-stream"));
  return caller;
}

TEST_CASE("an event reaches all followers, in order") {
  Daemon daemon;
  daemon.publish("lost", "{}");  // nobody follows yet
  auto first = follower_of(daemon);
  auto second = follower_of(daemon);
  CHECK(daemon.followers() == 2);
  daemon.publish("started", "{\"files\":2}");
  daemon.publish("progress", "{\"received\":1,\n\"of\":2}");
  const std::string expected =
      "event: started\ndata: {\"files\":2}\n\nevent: progress\ndata: {\"received\":1,\ndata: \"of\":2}\n\n";
  for (auto* caller : {&first, &second}) {
    CHECK(caller->hear_until("\"of\":2}\n\n"));
    CHECK(caller->heard() == expected);
  }
}

TEST_CASE("nothing in an event can begin another one") {
  Daemon daemon;
  auto caller = follower_of(daemon);
  daemon.publish("a\nevent: b", "1\r\n\r\nevent: c\ndata: 2\revent: d");
  CHECK(caller.hear_until("d\n\n"));
  CHECK(caller.heard() == "event: aevent: b\ndata: 1\ndata: \ndata: event: c\ndata: data: 2event: d\n\n");
}

TEST_CASE("a follower to whom nothing happens hears a comment now and then") {
  Setup setup;
  setup.rules.limits.heartbeat = milliseconds(10);
  Daemon daemon(setup);
  auto caller = follower_of(daemon);
  CHECK(caller.hear_until(":\n\n:\n\n:\n\n"));
  daemon.publish("done", "{}");
  CHECK(caller.hear_until("event: done\ndata: {}\n\n"));
}

TEST_CASE("a follower that disconnects is no longer counted") {
  Daemon daemon;
  {
    auto caller = follower_of(daemon);
    CHECK(daemon.followers() == 1);
  }
  CHECK(daemon.has_followers(0));
  daemon.publish("nobody", "{}");
}

TEST_CASE("a follower that sends instead of reading is disconnected") {
  Daemon daemon;
  auto caller = follower_of(daemon);
  const std::string chatter(4096, 'x');
  int sent = 0;
  while (sent < 1000 && caller.send(chatter)) ++sent;
  CHECK(sent < 1000);
  CHECK(daemon.has_followers(0));
}

TEST_CASE("the number of followers is limited, and the next one gets an error that says to try again") {
  Daemon daemon;
  std::list<Caller> followers;
  for (int i = 0; i < 8; ++i) followers.push_back(follower_of(daemon));
  Caller ninth(daemon.path());
  const auto refused = ninth.get("/v1/events");
  CHECK(refused.status == 503);
  CHECK(refused.body.find("too_many_followers") != std::string::npos);
  CHECK(ninth.get("/v1/status").status == 200);
  followers.pop_front();
  REQUIRE(daemon.has_followers(7));
  CHECK(Caller(daemon.path()).get("/v1/events").status == 200);
}

TEST_CASE("a follower that reads nothing is disconnected, and the others miss nothing") {
  Daemon daemon;
  auto stuck = follower_of(daemon);
  auto eager = follower_of(daemon);
  const std::string large(16 << 10, 'x');
  std::size_t published = 0;
  while (daemon.followers() == 2 && published < 1000) {
    daemon.publish("progress", large);
    ++published;
    REQUIRE(eager.next_through("\n\n") == "event: progress\ndata: " + large + "\n\n");
  }
  CHECK(published < 1000);
  CHECK(daemon.followers() == 1);
  CHECK(stuck.rest().size() < published * large.size());
}

TEST_CASE("a follower that stops in the middle of an event is disconnected in time") {
  Setup setup;
  setup.rules.limits.queue = 64 << 20;
  setup.rules.limits.answer = milliseconds(50);
  Daemon daemon(setup);
  auto stuck = follower_of(daemon);
  daemon.publish("large", std::string(8 << 20, 'x'));
  CHECK(daemon.has_followers(0));
  CHECK(stuck.rest().size() < std::size_t{8} << 20);
}

}  // namespace
}  // namespace vtmirror::test
