#include "agent/transfer.hpp"

#include "vtmirror/base/text.hpp"

#include <algorithm>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

constexpr std::int64_t smallest_piece = std::int64_t{4} << 20;
constexpr std::int64_t largest_piece = std::int64_t{128} << 20;

int connections_of(const CycleSettings& settings) {
  return settings.connections > 0 ? settings.connections : default_connections;
}

/// Two pieces a connection or more, so that a slow connection does not hold the end up; one connection asks for all at
/// once.
std::int64_t piece_size(std::int64_t total, int connections) {
  if (connections <= 1) return std::max<std::int64_t>(total, 1);
  const auto share = total / (2 * connections);
  const auto rounded = (share + smallest_piece - 1) / smallest_piece * smallest_piece;
  return std::clamp(rounded, smallest_piece, largest_piece);
}

}  // namespace

Transfer::Transfer(Shared shared, catalogue::Partial partial, ports::DownloadProgress& progress)
    : shared_(shared), partial_(std::move(partial)), progress_(progress), workers_(shared.parts.loop) {
  attempts_.limit = shared_.settings.attempts;
}

awaitable<base::Result<void>> Transfer::run(bool fresh) {
  for (;;) {
    auto opened = co_await open(fresh);
    if (!opened) co_return opened;
    workers_.spawn(work());
    co_await workers_.join();
    auto settled = co_await writer_->settle();
    partial_.durable = pieces().durable_ranges();
    const bool whole = pieces().all_durable();
    writer_.reset();
    if (!settled) co_return settled;
    if (failure_) co_return *failure_;
    if (whole && !start_over_) co_return base::Result<void>();
    // Without a failure there is something left to ask for: a claim on the rest was broken. It goes on from what is
    // durable.
    fresh = start_over_;
    if (!start_over_) continue;
    auto adopted = co_await adopt_listed_size();
    if (!adopted) co_return adopted;
    attempts_.started_over = true;
  }
}

awaitable<base::Result<void>> Transfer::open(bool fresh) {
  start_over_ = false;
  recruited_ = false;
  if (fresh) {
    partial_.etag.clear();
    partial_.durable = {};
  }
  partial_.verified = false;
  auto file = co_await open_file();
  if (file && !*file) {
    tell_retry("what was here of it is gone", "gone_from_disk", "fetched from nothing");
    partial_.etag.clear();
    partial_.durable = {};
    file = co_await open_file();
  }
  if (!file) co_return file.error();
  core::Pieces pieces(partial_.size, piece_size(partial_.size, connections_of(shared_.settings)), partial_.durable);
  writer_ = std::make_unique<PartialWriter>(shared_.parts, shared_.blocks, shared_.ledger, partial_.name,
                                            std::move(*file), std::move(pieces));
  progress_.received = this->pieces().bytes_written();
  show();
  co_return base::Result<void>();
}

/// The record goes first: a partial on disk that the catalogue does not know is removed at the next start, and no
/// record may vouch for the bytes of a file that is made anew.
awaitable<base::Result<std::unique_ptr<ports::PartialFile>>> Transfer::open_file() {
  auto keep = [partial = partial_](catalogue::Catalogue& c) { return c.keep_partial(partial); };
  const auto recorded = co_await shared_.ledger(std::move(keep));
  if (!recorded) co_return recorded.error();
  const ports::WantedPartial wanted{partial_.name, partial_.size, partial_.durable.end()};
  auto open = [parts = shared_.parts, wanted]() -> base::Result<std::unique_ptr<ports::PartialFile>> {
    if (auto accepted = parts.shelf.accepts(wanted.name); !accepted) return accepted.error();
    return parts.partials.open(wanted);
  };
  auto file = co_await off_loop(shared_.parts.pool.get_executor(), std::move(open));
  co_return file;
}

/// The object changed: the next attempt goes by what a fresh listing says of it.
awaitable<base::Result<void>> Transfer::adopt_listed_size() {
  const int refused = shared_.links.generation();
  const auto link = co_await shared_.links.link_for(partial_.name, refused);
  if (!link) co_return link.error();
  partial_.size = link->size;
  partial_.date = link->date;
  progress_.size = link->size;
  co_return base::Result<void>();
}

/// The first good answer told which object it is: now others may help.
void Transfer::recruit() {
  if (std::exchange(recruited_, true)) return;
  const auto left = pieces().total() - pieces().bytes_written();
  const auto size = piece_size(pieces().total(), connections_of(shared_.settings));
  const auto useful = (left + size - 1) / size;
  const auto wanted = std::min<std::int64_t>(useful, connections_of(shared_.settings));
  for (auto n = workers_.running(); n < wanted; ++n) workers_.spawn(work());
}

awaitable<void> Transfer::after_failure(base::Error error, int generation) {
  if (over()) co_return;
  auto& clock = shared_.parts.clock;
  const bool known_refusal = error.code == base::Errc::link_refused && generation <= refused_generation_;
  if (known_refusal) co_return;
  ++attempts_.total;
  if (clock.steady() >= paused_until_) {
    ++attempts_.failed;
    progress_.attempt = attempts_.failed + 1;
  }
  attempts_.link_was_fresh = renewed_;
  const auto decision = core::next_attempt(error, attempts_, shared_.parts.dice.roll());
  tell_retry(error, decision);
  switch (decision.next) {
    case core::Next::wait:
      paused_until_ = std::max(paused_until_, clock.steady() + decision.pause);
      break;
    case core::Next::renew_link:
      refused_generation_ = std::max(refused_generation_, generation);
      renewed_ = true;
      break;
    case core::Next::start_over:
      start_over_ = true;
      close_lanes();
      break;
    case core::Next::renew_token:
    case core::Next::give_up:
      end(error);
      break;
  }
  const auto pause = paused_until_ - clock.steady();
  if (over() || pause <= base::Milliseconds::zero()) co_return;
  const auto waited = co_await clock.wait(pause);
  if (!waited) end(waited.error());
}

void Transfer::tell_retry(const base::Error& error, core::Decision decision) {
  if (decision.next == core::Next::give_up) return;
  const auto pause = std::chrono::ceil<std::chrono::seconds>(decision.pause);
  const std::string then = decision.next == core::Next::wait         ? "goes on in " + base::human_duration(pause)
                           : decision.next == core::Next::start_over ? "fetched again from nothing"
                                                                     : "goes on with a fresh link";
  tell_retry(error.message(), base::name(error.code), then);
}

void Transfer::tell_retry(const std::string& why, std::string_view reason, const std::string& then) {
  ports::Event event{.kind = ports::EventKind::fetch_retried, .level = ports::Level::notice};
  event.message = partial_.name + ": " + why + "; " + then;
  event.fields.push_back({"file", partial_.name});
  event.fields.push_back({"reason", std::string(reason)});
  shared_.parts.journal.tell(event);
}

bool Transfer::over() const { return failure_ || start_over_ || writer_->failure().has_value(); }

void Transfer::end(const base::Error& error) {
  if (!failure_) failure_ = error;
  close_lanes();
}

void Transfer::close_lanes() {
  for (auto* lane : lanes_) lane->close();
}

void Transfer::show() { progress_.connections = static_cast<int>(lanes_.size()); }

}  // namespace vtmirror::agent
