#include "net/resolver.hpp"

#include "net/client.hpp"
#include "support/stale_event.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace vtmirror;
using namespace vtmirror::test;
using namespace std::chrono_literals;
using base::Errc;
using net::Endpoints;

namespace {

/// Look-ups that hang until they are released, for every host but "here.example". They may outlive a test's end, so
/// they own what they use.
class Names {
 public:
  net::LookUp look_up() const {
    return [state = state_](const std::string& host) {
      {
        const std::scoped_lock lock(state->mutex);
        ++state->asked[host];
      }
      state->asked_once.notify_all();
      if (host != "here.example") state->released.wait();
      if (host == "gone.example") return net::Found{.failure = "no such name"};
      return net::Found{.endpoints = {{boost::asio::ip::make_address("192.0.2.7"), 0},
                                      {boost::asio::ip::make_address("192.0.2.8"), 0},
                                      {boost::asio::ip::make_address("2001:db8::7"), 0}}};
    };
  }
  ~Names() { release(); }
  Names() = default;
  Names(const Names&) = delete;
  Names& operator=(const Names&) = delete;

  void release() {
    if (!std::exchange(released_, true)) state_->release.set_value();
  }
  int asked(const std::string& host) const {
    const std::scoped_lock lock(state_->mutex);
    return state_->asked[host];
  }
  bool until_asked(const std::string& host, int times = 1) const {
    std::unique_lock lock(state_->mutex);
    return state_->asked_once.wait_for(lock, 60s, [&] { return state_->asked[host] >= times; });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable asked_once;
    std::map<std::string, int> asked;
    std::promise<void> release;
    std::shared_future<void> released{release.get_future()};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  bool released_ = false;
};

struct Place {
  ports::Stop stop;  // outlives the loop, whose waits are registered with it
  boost::asio::io_context loop;
  net::Resolver resolver;

  explicit Place(net::LookUp how) : resolver(std::move(how)) {}

  using Answer = base::Result<Endpoints>;

  boost::asio::awaitable<Answer> ask(std::string host, std::chrono::milliseconds timeout) {
    net::Deadline deadline(loop.get_executor(), stop);
    auto answer = co_await resolver.resolve(std::move(host), 443, deadline, timeout);
    co_return answer;
  }
  Answer resolve(const std::string& host, std::chrono::milliseconds timeout = 60s) {
    return run(loop, ask(host, timeout));
  }
  /// Does not wait for the end.
  std::shared_ptr<std::optional<Answer>> begin(const std::string& host, std::chrono::milliseconds timeout = 60s) {
    auto out = std::make_shared<std::optional<Answer>>();
    boost::asio::co_spawn(loop, ask(host, timeout), [out](const std::exception_ptr& thrown, Answer answer) {
      if (thrown) std::rethrow_exception(thrown);
      out->emplace(std::move(answer));
    });
    loop.poll();
    loop.restart();
    return out;
  }
};

Errc code_of(const std::optional<Place::Answer>& answer) {
  REQUIRE(answer.has_value());
  REQUIRE_FALSE(answer->has_value());
  return answer->error().code;
}

}  // namespace

TEST_CASE("a host's addresses come with the port, both kinds by turns") {
  const Names names;
  Place place(names.look_up());
  const auto found = place.resolve("here.example");
  REQUIRE(found);
  REQUIRE(found->size() == 3);
  CHECK(found->at(0).address().to_string() == "192.0.2.7");
  CHECK(found->at(1).address().to_string() == "2001:db8::7");
  CHECK(found->at(2).address().to_string() == "192.0.2.8");
  for (const auto& endpoint : *found) CHECK(endpoint.port() == 443);
}

TEST_CASE("an address is not looked up") {
  const Names names;
  Place place(names.look_up());
  for (const std::string host : {"192.0.2.1", "2001:db8::1"}) {
    const auto found = place.resolve(host);
    REQUIRE(found);
    CHECK(found->front().address().to_string() == host);
    CHECK(names.asked(host) == 0);
  }
}

TEST_CASE("a name that hangs does not delay another one, and a stop does not wait for it") {
  const Names names;
  Place place(names.look_up());
  const auto hanging = place.begin("hangs.example");
  const auto found = place.resolve("here.example");
  CHECK(found);
  CHECK_FALSE(hanging->has_value());
  place.stop.request();
  place.loop.restart();
  place.loop.run();
  CHECK(code_of(*hanging) == Errc::cancelled);
}

TEST_CASE("an event of a descriptor that is closed by now does not end the wait for a name") {
  Names names;
  Place place(names.look_up());
  std::optional<Place::Answer> answer;
  const auto ask = [&]() -> boost::asio::awaitable<void> {
    co_await until_stale_event(place.loop);
    auto found = co_await place.ask("shared.example", 60s);
    answer.emplace(std::move(found));
  };
  boost::asio::co_spawn(place.loop, ask, boost::asio::detached);
  place.loop.poll();
  CHECK_FALSE(answer.has_value());
  names.release();
  place.loop.run();
  REQUIRE(answer.has_value());
  REQUIRE_MESSAGE(answer->has_value(), answer->error().detail);
  CHECK((*answer)->size() == 3);
}

TEST_CASE("a look-up that is never answered times out") {
  const Names names;
  Place place(names.look_up());
  const auto late = place.resolve("hangs.example", 30ms);
  REQUIRE_FALSE(late);
  CHECK(late.error().code == Errc::timed_out);
  CHECK(late.error().detail == "hangs.example:443: resolving the name timed out");
}

TEST_CASE("a name that does not exist is unreachable, with the reason") {
  Names names;
  names.release();
  Place place(names.look_up());
  const auto gone = place.resolve("gone.example");
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == Errc::unreachable);
  CHECK(gone.error().detail == "gone.example:443: no such name");
}

TEST_CASE("requests for one name at the same time share a look-up") {
  Names names;
  Place place(names.look_up());
  std::vector<std::shared_ptr<std::optional<Place::Answer>>> answers;
  for (int i = 0; i < 20; ++i) answers.push_back(place.begin("shared.example"));
  names.release();
  place.loop.run();
  for (const auto& answer : answers) {
    REQUIRE(answer->has_value());
    CHECK((*answer)->value().size() == 3);
  }
  CHECK(names.asked("shared.example") == 1);
}

TEST_CASE("a look-up that has hung for longer than a request waits is not joined") {
  const Names names;
  Place place(names.look_up());
  const auto first = place.begin("hangs.example");
  REQUIRE(names.until_asked("hangs.example"));
  CHECK(code_of(place.resolve("hangs.example", 1ms)) == Errc::timed_out);
  // Now the first one is older than a request of a millisecond, whose own time passes only while the loop runs.
  const auto second = place.begin("hangs.example", 1ms);
  CHECK(names.until_asked("hangs.example", 2));
}

TEST_CASE("when the threads are used up names wait for one, and those that nobody wants any more are not looked up") {
  Names names;
  Place place(names.look_up());
  std::vector<std::shared_ptr<std::optional<Place::Answer>>> hanging;
  for (int i = 0; i < net::Resolver::most_threads; ++i) {
    const auto host = "hangs" + std::to_string(i) + ".example";
    hanging.push_back(place.begin(host));
    REQUIRE(names.until_asked(host));
  }
  const auto waits = place.begin("here.example");
  CHECK(code_of(place.resolve("unwanted.example", 20ms)) == Errc::timed_out);
  CHECK_FALSE(waits->has_value());
  names.release();
  place.loop.run();
  REQUIRE(waits->has_value());
  CHECK((*waits)->has_value());
  for (const auto& each : hanging) CHECK((*each)->has_value());
  CHECK(names.asked("unwanted.example") == 0);
}

TEST_CASE("a look-up may outlive the loop and the resolver") {
  Names names;
  const auto ended = std::make_shared<std::promise<void>>();
  {
    Place place([look_up = names.look_up(), ended](const std::string& host) {
      auto found = look_up(host);
      ended->set_value();
      return found;
    });
    const auto hanging = place.begin("hangs.example");
    REQUIRE(names.until_asked("hangs.example"));
  }
  names.release();
  CHECK(ended->get_future().wait_for(60s) == std::future_status::ready);
}

TEST_CASE("the system's look-up knows this machine, and says why it does not know another one") {
  const auto here = net::look_up("localhost");
  CHECK(here.failure.empty());
  REQUIRE_FALSE(here.endpoints.empty());
  for (const auto& endpoint : here.endpoints) CHECK(endpoint.address().is_loopback());
  const auto nowhere = net::look_up("a..b");
  CHECK(nowhere.endpoints.empty());
  CHECK_FALSE(nowhere.failure.empty());
}
