#include "agent/transfer.hpp"

#include "agent/space.hpp"
#include "agent/store_answer.hpp"
#include "vtmirror/base/text.hpp"
#include "vtmirror/core/answer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Error stopped() { return {base::Errc::cancelled, "stopped while waiting for the disk"}; }

core::TransferEvent ended(const base::Result<void>& result) {
  if (!result) return core::StepFailed{result.error()};
  return core::StepDone{};
}

}  // namespace

Transfer::Transfer(CycleResources resources, core::PartialRecord partial, FileCheck& check,
                   ports::DownloadProgress& progress)
    : resources_(resources),
      listed_(std::move(partial)),
      decisions_(resources.connections.rules(resources.settings.attempts), {listed_.size, listed_.etag},
                 std::move(listed_.durable)),
      check_(check),
      progress_(progress),
      workers_(resources.ports.loop),
      waits_(resources.ports.loop) {
  listed_.verified = false;
}

core::PartialRecord Transfer::partial() const {
  auto partial = listed_;
  partial.size = decisions_.identity().size;
  partial.etag = decisions_.identity().etag;
  partial.durable = decisions_.durable_ranges();
  return partial;
}

awaitable<base::Result<void>> Transfer::run(bool fresh) {
  if (fresh) decisions_.forget();
  Connections::Place counted(resources_.connections, place());
  place_ = &counted;
  const ports::Stop::Registration woken(resources_.ports.stop, [this] { resources_.blocks.wake(); });
  for (;;) {
    auto opened = co_await open();
    if (!opened) co_return opened;
    connect(decisions_.begin());
    co_await workers_.join();
    auto drain = [this] { return writer_->drain(); };
    const auto drained = co_await until_recorded(std::move(drain));
    if (!drained) decisions_.disk_failed(drained.error());
    writer_.reset();
    const auto end = decisions_.end();
    if (end.kind == core::RoundEnd::Kind::finished) co_return base::Result<void>();
    if (end.kind == core::RoundEnd::Kind::give_up) co_return end.why;
    auto started = co_await start_over();
    if (!started) co_return started;
  }
}

awaitable<base::Result<void>> Transfer::open() {
  auto file = co_await open_file();
  if (file && !*file) {
    report_retry("the unfinished file is gone from disk", "gone_from_disk", "starting over");
    decisions_.forget();
    file = co_await open_file();
  }
  if (!file) co_return file.error();
  writer_ = std::make_unique<PartialWriter>(resources_.ports, resources_.blocks, resources_.watermarks, listed_.name,
                                            std::move(*file), decisions_,
                                            PartialWriter::Owner{.pass_on = [this] { pass_on(); },
                                                                 .failed = [this] { wake(); },
                                                                 .recorded = [this] { check_.durable(front()); }});
  check_.restart(decisions_.identity().size, front());
  progress_.received = decisions_.bytes_written();
  show();
  co_return base::Result<void>();
}

/// The record is dropped first: a partial on disk that is not in the catalogue is removed at the next start, and no
/// record may vouch for the bytes of a file that is created anew.
awaitable<base::Result<std::unique_ptr<ports::PartialFile>>> Transfer::open_file() {
  auto look = [&shelf = resources_.ports.shelf, name = listed_.name] { return shelf.accepts(name); };
  const auto accepted = co_await off_loop(resources_.ports.pool.get_executor(), std::move(look));
  if (!accepted) co_return accepted.error();
  auto record = [this] { return keep(); };
  const auto recorded = co_await until_recorded(std::move(record));
  if (!recorded) co_return recorded.error();
  const ports::WantedPartial wanted{listed_.name, decisions_.identity().size, decisions_.durable_ranges().end()};
  auto open = [ports = resources_.ports, wanted]() -> base::Result<std::unique_ptr<ports::PartialFile>> {
    return ports.partials.open(wanted);
  };
  auto file = co_await off_loop(resources_.ports.pool.get_executor(), std::move(open));
  co_return file;
}

awaitable<base::Result<void>> Transfer::until_recorded(Recording recording) {
  const auto& ports = resources_.ports;
  for (;;) {
    auto recorded = co_await recording();
    if (recorded) {
      decisions_.recorded();
      co_return recorded;
    }
    const auto retried = decisions_.record_failed(recorded.error(), {ports.clock.steady(), ports.dice.roll()});
    if (!retried) co_return recorded;
    report(*retried);
    auto waited = co_await ports.clock.wait(retried->pause);
    if (!waited) co_return waited;
  }
}

awaitable<base::Result<void>> Transfer::keep() {
  auto keep = [partial = partial()](catalogue::Catalogue& c) { return c.keep_partial(partial); };
  auto kept = co_await resources_.watermarks(std::move(keep));
  co_return kept;
}

/// The object changed: the next round uses what a fresh listing says about it.
awaitable<base::Result<void>> Transfer::start_over() {
  co_await check_.close();
  const int newest = resources_.links.listing();
  const auto link = co_await resources_.links.link_for(listed_.name, newest);
  if (!link) co_return link.error();
  auto fits = co_await check_space(resources_.ports, resources_.settings.policy.reserve, listed_.name, link->size);
  if (!fits) co_return fits;
  listed_.date = link->date;
  progress_.size = link->size;
  decisions_.start_over(link->size);
  co_return base::Result<void>();
}

Connections::Transfer Transfer::place() {
  return {.left = [this] { return decisions_.identity().size - decisions_.bytes_written(); },
          .busy = [this] { return decisions_.busy(); },
          .receives = [this] { return decisions_.receives(resources_.ports.clock.steady()); },
          .aim = [this](int connections, bool at_once) { aim(connections, at_once); },
          .first = listed_.kind == core::Kind::delta};
}

void Transfer::aim(int connections, bool at_once) {
  const auto change = decisions_.aim(connections, resources_.ports.clock.steady(), at_once);
  for (const int connection : change.close)
    if (const auto lane = lanes_.find(connection); lane != lanes_.end()) lane->second->close();
  connect(change.open);
  wake();
}

void Transfer::connect(const std::vector<int>& connections) {
  for (const int connection : connections) workers_.spawn(work(connection));
}

awaitable<void> Transfer::work(int connection) {
  using Kind = Step::Kind;
  const auto lane = resources_.ports.http.lane();
  lanes_[connection] = lane.get();
  show();
  base::Secret url;
  auto step = next_step(connection, *lane, core::StepDone());
  while (step.kind != Kind::leave) {
    Event event;
    switch (step.kind) {
      case Kind::find_link:
        event = co_await find_link(step.newer_than, url);
        break;
      case Kind::ask:
        event = co_await ask(*lane, url.reveal(), step);
        break;
      case Kind::record:
        event = co_await record();
        break;
      case Kind::receive:
        event = co_await receive(*lane, connection, step);
        break;
      case Kind::expect_end:
        event = co_await expect_end(*lane);
        break;
      case Kind::wait:
        event = co_await wait(connection, step);
        break;
      case Kind::leave:
        break;
    }
    step = next_step(connection, *lane, event);
  }
  lanes_.erase(connection);
  filling_.erase(connection);
  show();
}

Transfer::Step Transfer::next_step(int connection, ports::Lane& lane, const Event& event) {
  auto step = decisions_.on(connection, event, {resources_.ports.clock.steady(), resources_.ports.dice.roll()});
  if (step.retried) report(*step.retried);
  connect(step.open);
  if (step.close == Step::Close::own) lane.close();
  if (step.close == Step::Close::all)
    for (const auto& [number, each] : lanes_) each->close();
  if (step.close_other)
    if (const auto other = lanes_.find(*step.close_other); other != lanes_.end()) other->second->close();
  if (std::exchange(refused_, false)) place_->give_way();
  wake();
  return step;
}

awaitable<Transfer::Event> Transfer::find_link(int newer_than, base::Secret& url) {
  const auto link = co_await resources_.links.link_for(listed_.name, newer_than);
  if (!link) co_return core::StepFailed{link.error()};
  url = link->url;
  store_ = core::store_at(store_host(url.reveal()));
  co_return core::LinkFound{link->listing, link->size};
}

awaitable<Transfer::Event> Transfer::ask(ports::Lane& lane, std::string url, Step step) {
  auto& clock = resources_.ports.clock;
  const auto asked = clock.steady();
  auto answer =
      co_await ask_store(resources_.ports.http, clock, lane, std::move(url), step.range, std::move(step.etag));
  resources_.rate.answered(lane);
  if (!answer) {
    const bool crowded = place_->refused(answer.error(), asked);
    refused_ = true;
    co_return core::StepFailed{answer.error(), crowded};
  }
  co_return core::AnswerCame{std::move(*answer)};
}

/// Before the first byte is durable, because the record of durable bytes must always name their object.
awaitable<Transfer::Event> Transfer::record() {
  const auto kept = co_await keep();
  if (!kept) co_return core::StepFailed{kept.error()};
  co_return core::StepDone();
}

/// A whole body without a declared length may be longer than the listing says; then it is another file.
awaitable<Transfer::Event> Transfer::expect_end(ports::Lane& lane) {
  std::array<std::byte, 1> one;
  const auto more = co_await lane.read(one);
  if (more && *more > 0) co_return core::MoreCame();
  co_return core::StepDone();
}

awaitable<Transfer::Event> Transfer::wait(int connection, Step step) {
  auto& clock = resources_.ports.clock;
  auto wait = step.idle ? clock.wait_in_background(step.pause) : clock.wait(step.pause);
  const auto waited = co_await waits_.wait(connection, std::move(wait));
  if (!waited) co_return core::StepFailed{waited.error()};
  if (*waited == Waits::End::woken) co_return core::Woken();
  co_return core::StepDone();
}

/// Ends waits that have become pointless.
void Transfer::wake() {
  for (const int connection : decisions_.to_wake()) waits_.wake(connection);
  if (decisions_.over()) resources_.blocks.wake();
}

void Transfer::report(const core::Retried& retried) {
  progress_.attempt = retried.attempt;
  const auto pause = std::chrono::ceil<std::chrono::seconds>(retried.pause);
  const bool has_begun = progress_.received > 0;
  const std::string then = retried.next == core::Next::wait
                               ? (has_begun ? "resumes in " : "next try in ") + base::human_duration(pause)
                           : retried.next == core::Next::start_over ? "starts over"
                           : has_begun                              ? "resumes with a fresh link"
                                                                    : "next try with a fresh link";
  report_retry(retried.why.message(), base::name(retried.why.code), then);
}

void Transfer::report_retry(const std::string& why, std::string_view reason, const std::string& then) {
  ports::Event event{.kind = ports::EventKind::fetch_retried, .level = ports::Level::notice};
  event.message = core::short_name(listed_.name) + ": " + why + "; " + then;
  event.fields = {{"file", listed_.name}, {"reason", std::string(reason)}};
  resources_.ports.journal.log(event);
}

void Transfer::show() { progress_.connections = static_cast<int>(lanes_.size()); }

awaitable<Transfer::Event> Transfer::receive(ports::Lane& lane, int connection, Step step) {
  const auto skipped = co_await skip(lane, step.skip);
  if (!skipped) co_return ended(skipped);
  for (auto offset = step.range.begin; offset < step.range.end && !decisions_.over();) {
    auto block = co_await acquire_block();
    if (!block) co_return core::StepFailed{stopped()};
    // File offset and address agree modulo the alignment, so that everything except the ends can be written directly.
    const auto lead = static_cast<std::size_t>(offset) % block_alignment;
    const auto room = std::min<std::int64_t>(static_cast<std::int64_t>(block.size - lead), step.range.end - offset);
    auto& filling = filling_[connection];
    filling = {std::move(block), lead, 0, offset};
    const auto filled = co_await fill(lane, filling, static_cast<std::size_t>(room));
    const bool wanted = pass_on(connection, filling);
    offset = filling.offset;
    filling = {};
    if (!wanted) co_return core::StepDone();
    if (!filled) co_return ended(filled);
  }
  co_return core::StepDone();
}

/// Null if there is no use for it: the transfer is over, or the program stops.
awaitable<Blocks::Block> Transfer::acquire_block() {
  auto useless = [this] { return decisions_.over() || resources_.ports.stop.requested(); };
  auto block = co_await resources_.blocks.acquire(std::move(useless));
  co_return block;
}

/// What the connections have received so far.
void Transfer::pass_on() {
  for (auto& [connection, filling] : filling_) pass_on(connection, filling);
}

/// The bytes that came since the last call; those that come next belong behind them. False if no more are wanted.
bool Transfer::pass_on(int connection, FilledBlock& filling) {
  if (!filling.block) return false;
  const auto came = static_cast<std::int64_t>(filling.length);
  const auto bytes = decisions_.received(connection, came, resources_.ports.clock.steady());
  // A whole body repeats bytes that are durable, and perhaps checked: those stay as they are.
  for (const auto& missing : decisions_.unwritten({filling.offset, filling.offset + bytes})) {
    auto part = filling;
    part.lead += static_cast<std::size_t>(missing.begin - filling.offset);
    part.length = static_cast<std::size_t>(missing.size());
    part.offset = missing.begin;
    writer_->write(std::move(part));
  }
  filling.lead += std::exchange(filling.length, 0);
  filling.offset += came;
  return decisions_.expects(connection);
}

/// Ends early when the transfer is over. If the body breaks, the bytes before the break count.
awaitable<base::Result<void>> Transfer::fill(ports::Lane& lane, FilledBlock& into, std::size_t room) {
  auto& rate = resources_.rate;
  while (room > 0 && !decisions_.over()) {
    const std::span<std::byte> space(into.block.memory.get() + into.lead + into.length, room);
    base::Result<std::size_t> got = std::size_t{0};
    if (rate.is_off())
      got = co_await lane.read(space);
    else
      got = co_await rate.read(lane, space, resources_.connections);
    if (!got) co_return resources_.ports.http.known().masked(got.error());
    if (*got == 0) co_return base::Error{base::Errc::unreachable, store_ + " ended the response too early"};
    into.length += *got;
    room -= *got;
    writer_->came();
    count(static_cast<std::int64_t>(*got));
  }
  co_return base::Result<void>();
}

void Transfer::count(std::int64_t bytes) {
  progress_.fetched += bytes;
  progress_.received = std::min(progress_.received + bytes, progress_.size);
  resources_.connections.came(bytes);
}

/// A store that ignores ranges sends from byte 0: bytes that are held already are read and dropped.
awaitable<base::Result<void>> Transfer::skip(ports::Lane& lane, std::int64_t bytes) {
  if (bytes == 0) co_return base::Result<void>();
  FilledBlock dropped;
  dropped.block = co_await acquire_block();
  if (!dropped.block) co_return stopped();
  base::Result<void> result;
  while (bytes > 0 && result && !decisions_.over()) {
    const auto length = std::min(static_cast<std::size_t>(bytes), dropped.block.size);
    result = co_await fill(lane, dropped, length);
    bytes -= static_cast<std::int64_t>(std::exchange(dropped.length, 0));
  }
  progress_.received = decisions_.bytes_written();
  co_return result;
}

}  // namespace vtmirror::agent
