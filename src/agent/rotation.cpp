#include "vtmirror/agent/rotation.hpp"

#include "agent/off_loop.hpp"
#include "agent/service.hpp"
#include "vtmirror/core/token.hpp"
#include "vtmirror/report/advice.hpp"

#include <utility>

namespace vtmirror::agent {

using base::Errc;
using base::Error;
using base::Result;
using base::Secret;
using boost::asio::awaitable;

namespace {

/// Ten times the largest secret that was seen; a larger answer is not from this service.
constexpr std::size_t largest_answer = 64 << 10;
/// It may take a moment until every server of the issuer accepts a new secret.
constexpr int proofs = 5;
constexpr int bad_request = 400;
constexpr base::Milliseconds first_proof_pause = std::chrono::seconds(1);

Error with(Error error, const std::string& words) {
  error.detail += words;
  return error;
}

Error not_asked(Error error) { return with(std::move(error), "; no new secret was requested"); }

Error kept_unproved(Error error) {
  return with(std::move(error),
              "; the new secret is stored but not in use, and is verified again at the daemon's next start or reload "
              "and by the next `vtmirror secret rotate`; the old one stays in use");
}

Error perhaps_issued(Error error) {
  return with(std::move(error),
              "; the service may still have issued a new secret, which is then lost: no further request is sent "
              "automatically, because the service limits active secrets; the current secret stays in use");
}

}  // namespace

struct Rotation::Impl {
  /// Runs blocking work on the secret files, off the loop.
  template <class Call>
  auto on_disk(Call call) {
    return off_loop(pool.get_executor(), std::move(call));
  }

  awaitable<Result<void>> acquire_turn();
  awaitable<Result<bool>> finish_unproved();
  awaitable<Result<void>> prove(Secret secret);
  awaitable<Result<void>> adopt(Secret secret, bool by_service);
  awaitable<Result<core::SecretIssue>> issue_of(Secret secret, bool by_service);
  awaitable<Result<Secret>> ask_service();
  awaitable<Result<void>> keep(Secret secret);
  ports::Request request() const;
  Result<Secret> read(ports::Response response) const;
  void log(ports::Level level, std::string message);

  RequestPorts ports;
  boost::asio::thread_pool& pool;
  ports::Secrets& secrets;
  RotationSettings settings;
  std::unique_ptr<ports::Secrets::Turn> turn;
  std::optional<core::Token> token;
  std::shared_ptr<bool> sent = std::make_shared<bool>(false);
};

Rotation::Rotation(RequestPorts ports, boost::asio::thread_pool& pool, ports::Secrets& secrets,
                   RotationSettings settings)
    : impl_(new Impl{ports, pool, secrets, std::move(settings), {}, {}}) {}
Rotation::~Rotation() = default;

bool Rotation::sent() const { return *impl_->sent; }

awaitable<Result<Rotation::Ready>> Rotation::prepare() {
  auto& body = *impl_;
  const auto alone = co_await body.acquire_turn();
  if (!alone) co_return alone.error();
  const auto finished = co_await body.finish_unproved();
  if (!finished) co_return finished.error();
  if (*finished) co_return Ready::finished;
  auto token = co_await request_token(body.ports, body.settings.service, body.settings.service.client_secret);
  if (!token && token.error().code == Errc::forbidden)
    co_return with(token.error(), "; " + report::advice(core::cause_of(token.error())));
  if (!token) co_return not_asked(token.error());
  body.token = std::move(*token);
  auto make_room = [&secrets = body.secrets] { return secrets.make_room(); };
  const auto room = co_await body.on_disk(std::move(make_room));
  if (!room) co_return not_asked(room.error());
  co_return Ready::to_ask;
}

awaitable<Result<void>> Rotation::ask() {
  auto& body = *impl_;
  auto secret = co_await body.ask_service();
  if (!secret) {
    auto drop = [&secrets = body.secrets] { return secrets.drop_new(); };
    const auto dropped = co_await body.on_disk(std::move(drop));
    if (!dropped) co_return with(secret.error(), " (" + dropped.error().message() + ")");
    co_return secret.error();
  }
  const auto kept = co_await body.keep(*secret);
  if (!kept) co_return kept;
  const auto proved = co_await body.prove(*secret);
  if (!proved) co_return proved;
  auto adopted = co_await body.adopt(std::move(*secret), true);
  co_return adopted;
}

awaitable<Result<void>> Rotation::rotate() {
  const auto ready = co_await prepare();
  if (!ready) co_return ready.error();
  if (*ready == Ready::finished) co_return Result<void>();
  auto asked = co_await ask();
  co_return asked;
}

/// Verifies the secret before it is written, because the person who entered it still has it.
awaitable<Result<void>> Rotation::set(Secret secret) {
  auto& body = *impl_;
  const auto alone = co_await body.acquire_turn();
  if (!alone) co_return alone;
  const auto token = co_await request_token(body.ports, body.settings.service, secret);
  if (!token) co_return with(token.error(), "; nothing has changed");
  const auto issue = co_await body.issue_of(secret, false);
  if (!issue) co_return issue.error();
  auto write = [&secrets = body.secrets, secret, issue = *issue]() -> Result<void> {
    if (auto dropped = secrets.drop_new(); !dropped) return dropped;
    // The record comes first, because a secret without a record would count as issued by the service.
    if (auto noted = secrets.keep_issue(issue); !noted) return noted;
    if (auto kept = secrets.keep_new(secret); !kept) return kept;
    return secrets.adopt(issue);
  };
  auto written = co_await body.on_disk(std::move(write));
  if (written) body.log(ports::Level::notice, "the new client secret is in use");
  co_return written;
}

awaitable<Result<bool>> Rotation::finish() {
  auto& body = *impl_;
  const auto alone = co_await body.acquire_turn();
  if (!alone) co_return alone.error();
  auto finished = co_await body.finish_unproved();
  co_return finished;
}

awaitable<Result<void>> Rotation::Impl::acquire_turn() {
  if (turn) co_return Result<void>();
  auto take = [this] { return secrets.acquire_turn(); };
  auto taken = co_await on_disk(std::move(take));
  if (!taken) co_return taken.error();
  turn = std::move(*taken);
  co_return Result<void>();
}

awaitable<Result<bool>> Rotation::Impl::finish_unproved() {
  auto look = [this] { return secrets.unproved(); };
  auto unproved = co_await on_disk(std::move(look));
  if (!unproved) co_return unproved.error();
  if (!*unproved) co_return false;
  const auto proved = co_await prove(**unproved);
  if (!proved) co_return proved.error();
  const auto adopted = co_await adopt(std::move(**unproved), true);
  if (!adopted) co_return adopted.error();
  co_return true;
}

/// A refused secret is tried again for a while, and stays on disk in any case.
awaitable<Result<void>> Rotation::Impl::prove(Secret secret) {
  auto pause = first_proof_pause;
  for (int proof = 1;; ++proof) {
    const auto proved = co_await request_token(ports, settings.service, secret);
    if (proved) co_return Result<void>();
    const bool refused = proved.error().code == Errc::forbidden;
    if (refused && proof == proofs)
      co_return with(kept_unproved(proved.error()),
                     "; if it stays refused, remove client_secret.new from the state directory and ask for another");
    if (!refused) co_return kept_unproved(proved.error());
    const auto waited = co_await ports.clock.wait(pause);
    if (!waited) co_return kept_unproved(waited.error());
    pause *= 2;
  }
}

awaitable<Result<void>> Rotation::Impl::adopt(Secret secret, bool by_service) {
  const auto issue = co_await issue_of(std::move(secret), by_service);
  if (!issue) co_return kept_unproved(issue.error());
  auto write = [this, issue = *issue] { return secrets.adopt(issue); };
  const auto adopted = co_await on_disk(std::move(write));
  if (!adopted) co_return kept_unproved(adopted.error());
  log(ports::Level::notice, "a new client secret was verified and is now in use");
  co_return Result<void>();
}

awaitable<Result<core::SecretIssue>> Rotation::Impl::issue_of(Secret secret, bool by_service) {
  auto take = [this, secret = std::move(secret)] { return secrets.fingerprint(secret); };
  auto fingerprint = co_await on_disk(std::move(take));
  if (!fingerprint) co_return fingerprint.error();
  co_return core::SecretIssue{.fingerprint = std::move(*fingerprint),
                              .at = ports.clock.now(),
                              .by_service = by_service,
                              .given = settings.given,
                              .date_then = settings.secret_expires_on};
}

/// Writes the secret to its file before anything else can fail; the record follows.
awaitable<Result<void>> Rotation::Impl::keep(Secret secret) {
  auto write = [this, secret] { return secrets.keep_new(secret); };
  const auto kept = co_await on_disk(std::move(write));
  if (!kept)
    co_return with(kept.error(), "; a new secret was issued but could not be stored; the current secret stays in use");
  const auto issue = co_await issue_of(std::move(secret), true);
  if (!issue) co_return kept_unproved(issue.error());
  auto note = [this, issue = *issue] { return secrets.keep_issue(issue); };
  const auto noted = co_await on_disk(std::move(note));
  if (!noted) co_return kept_unproved(noted.error());
  co_return Result<void>();
}

ports::Request Rotation::Impl::request() const {
  ports::Request request;
  request.method = settings.credentials_method;
  request.url = joined(settings.service.base_url, settings.credentials_path);
  request.headers.push_back({"Authorization", "Bearer " + token->text.reveal()});
  request.headers.push_back({"X-API-Key", settings.service.api_key.reveal()});
  request.headers.push_back({"Content-Type", "application/json"});
  request.headers.push_back({"Accept", "application/json"});
  request.body = core::credentials_body(settings.key_property, settings.service.api_key, settings.email).reveal();
  request.body_limit = largest_answer;
  return request;
}

awaitable<Result<Secret>> Rotation::Impl::ask_service() {
  auto asked = request();
  asked.sending = [flag = sent] { *flag = true; };
  asked.outlasts_stop = true;
  auto response = co_await ports.http.exchange(std::move(asked));
  if (!response) {
    const auto error = ports.http.known().masked(response.error());
    co_return *sent ? perhaps_issued(error) : not_asked(error);
  }
  co_return read(std::move(*response));
}

Result<Secret> Rotation::Impl::read(ports::Response response) const {
  if (response.status / 100 == 2) {
    auto secret = core::parse_new_secret(response.content_type, response.body);
    base::wipe(response.body);
    if (!secret) return perhaps_issued(ports.http.known().masked(secret.error()));
    ports.http.known().add(*secret);
    return secret;
  }
  auto error = core::api_error(failed(response, ports.http));
  error.detail = "the request for a new secret failed: " + error.detail;
  const bool ceiling = core::carries_code(failed(response, ports.http), "PC-01");
  base::wipe(response.body);
  if (ceiling)
    return with(
        error,
        "; the service has issued as many secrets as it allows to be active at one time: ask its support to remove "
        "old ones; the current secret stays in use");
  if (response.status >= 500) return perhaps_issued(error);
  // The body has the key under a name of the settings, and this address.
  if (response.status == bad_request)
    return with(error,
                "; the service issued no new secret, and the current one stays in use: check credentials.email and "
                "service.credentials_key_property, then run `vtmirror secret rotate` again");
  return with(error, "; the service issued no new secret, and is not asked again; the current secret stays in use");
}

void Rotation::Impl::log(ports::Level level, std::string message) {
  ports.journal.log({ports::EventKind::secret_changed, level, std::move(message)});
}

}  // namespace vtmirror::agent
