#include "net/resolver.hpp"

#include "vtmirror/base/descriptor.hpp"
#include "vtmirror/base/url.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace vtmirror::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::Errc;
using base::Error;
using Clock = Deadline::Clock;

/// One look-up, owned by its waiters and by the thread that makes it.
struct Pending {
  Pending(std::string name, base::Descriptor bell) : host(std::move(name)), rings(std::move(bell)) {}

  void make(const LookUp& how) noexcept {
    found = how(host);
    done = true;
    const std::uint64_t once = 1;
    base::uninterrupted([&] { return ::write(rings.get(), &once, sizeof once); });
  }

  const std::string host;
  const base::Descriptor rings;  ///< an eventfd that becomes readable when the look-up ends
  const Clock::time_point begun = Clock::now();
  std::atomic<bool> done = false;  ///< afterwards `found` does not change
  Found found;
};

/// Keeps signals from a new thread: they are for the loop, whose thread may be asleep waiting for them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

Error failed(const std::string& what, int error) {
  return {Errc::unreachable, what + ": " + std::generic_category().message(error)};
}

}  // namespace

/// What the threads share. Leaked if one of them never ends.
struct Resolver::Shared {
  explicit Shared(LookUp function) : how(std::move(function)) {}

  static base::Result<std::shared_ptr<Pending>> join(const std::shared_ptr<Shared>& self, const std::string& host,
                                                     std::chrono::milliseconds timeout);
  static void work(const std::shared_ptr<Shared>& self);
  std::shared_ptr<Pending> next();

  const LookUp how;
  std::mutex mutex;
  int threads = 0;
  std::deque<std::weak_ptr<Pending>> waiting;  ///< look-ups that wait for a thread; one that has expired is not needed
  std::map<std::string, std::weak_ptr<Pending>> newest;
};

/// Returns the running look-up of that name, or else a new one. A look-up that has taken longer than a request waits
/// may hang for ever, so no request joins it.
base::Result<std::shared_ptr<Pending>> Resolver::Shared::join(const std::shared_ptr<Shared>& self,
                                                              const std::string& host,
                                                              std::chrono::milliseconds timeout) {
  const std::scoped_lock lock(self->mutex);
  std::erase_if(self->newest, [](const auto& each) { return each.second.expired(); });
  if (const auto known = self->newest.find(host); known != self->newest.end())
    if (auto pending = known->second.lock(); pending && Clock::now() - pending->begun < timeout) return pending;

  base::Descriptor bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell.valid()) return failed("cannot wait for a name", errno);
  auto pending = std::make_shared<Pending>(host, std::move(bell));
  if (self->threads < most_threads) {
    const SignalsBlocked quiet;
    try {
      std::thread([self] { work(self); }).detach();
    } catch (const std::system_error& error) {
      return failed("cannot start a thread to look up a name", error.code().value());
    }
    ++self->threads;
  }
  self->waiting.push_back(pending);
  self->newest[host] = pending;
  return pending;
}

void Resolver::Shared::work(const std::shared_ptr<Shared>& self) {
  while (const auto pending = self->next()) pending->make(self->how);
}

std::shared_ptr<Pending> Resolver::Shared::next() {
  const std::scoped_lock lock(mutex);
  while (!waiting.empty()) {
    auto first = waiting.front().lock();
    waiting.pop_front();
    if (first) return first;
  }
  --threads;
  return nullptr;
}

Resolver::Resolver(LookUp how) : shared_(std::make_shared<Shared>(std::move(how))) {}

Endpoints interleaved(const Endpoints& endpoints) {
  Endpoints kinds[2];
  for (const auto& endpoint : endpoints)
    kinds[endpoint.protocol() == endpoints.front().protocol() ? 0 : 1].push_back(endpoint);
  Endpoints out;
  for (std::size_t i = 0; i < kinds[0].size() || i < kinds[1].size(); ++i) {
    for (const auto& kind : kinds) {
      if (i < kind.size()) out.push_back(kind[i]);
    }
  }
  return out;
}

asio::awaitable<base::Result<Endpoints>> Resolver::resolve(std::string host, std::uint16_t port, Deadline& deadline,
                                                           std::chrono::milliseconds timeout) const {
  boost::system::error_code no_literal;
  const auto literal = asio::ip::make_address(host, no_literal);
  if (!no_literal) co_return Endpoints(1, tcp::endpoint(literal, port));

  const std::string peer = base::endpoint_text(host, port);
  if (deadline.cancelled()) co_return Error{Errc::cancelled, peer + ": stopped"};
  const auto joined = Shared::join(shared_, host, timeout);
  if (!joined) co_return Error{joined.error().code, peer + ": " + joined.error().detail};
  const auto& pending = *joined;
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  // Each waiter has a descriptor of its own, because the loop knows each once.
  base::Descriptor bell(::fcntl(pending->rings.get(), F_DUPFD_CLOEXEC, 0));
  if (!bell.valid()) co_return Error{Errc::unreachable, peer + ": " + failed("cannot wait for a name", errno).detail};
  const auto rings = std::make_shared<asio::posix::stream_descriptor>(executor, bell.release());
  const auto until = Clock::now() + timeout;
  // The wait may also end because of an event of a descriptor that the loop knew before.
  while (!pending->done) {
    const auto refused = deadline.arm(until, [rings] { rings->cancel(); });
    if (refused) co_return Error{*refused, peer + ": stopped"};
    boost::system::error_code failed;
    auto token = asio::redirect_error(asio::use_awaitable, failed);
    co_await rings->async_wait(asio::posix::stream_descriptor::wait_read, token);
    const auto why = deadline.disarm(failed && !pending->done);
    if (why == Errc::timed_out) co_return Error{*why, peer + ": resolving the name timed out"};
    if (why) co_return Error{*why, peer + ": stopped"};
  }
  const Found& found = pending->found;
  if (!found.failure.empty()) co_return Error{Errc::unreachable, peer + ": " + found.failure};
  auto endpoints = interleaved(found.endpoints);
  for (auto& endpoint : endpoints) endpoint.port(port);
  co_return endpoints;
}

Found look_up(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  Found found;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &wanted, &first);
  if (error != 0) {
    const int system = errno;
    found.failure = "the name cannot be resolved: ";
    found.failure += error == EAI_SYSTEM ? std::generic_category().message(system) : ::gai_strerror(error);
    return found;
  }
  for (const addrinfo* each = first; each != nullptr; each = each->ai_next) {
    tcp::endpoint endpoint;
    if (each->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), each->ai_addr, each->ai_addrlen);
    endpoint.resize(each->ai_addrlen);
    found.endpoints.push_back(endpoint);
  }
  ::freeaddrinfo(first);
  if (found.endpoints.empty()) found.failure = "the host has no address";
  return found;
}

}  // namespace vtmirror::net
