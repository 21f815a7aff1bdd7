#include "vtmirror/agent/verification.hpp"

#include "agent/off_loop.hpp"
#include "vtmirror/catalogue/chain_now.hpp"
#include "vtmirror/core/file_selection.hpp"

#include <algorithm>
#include <utility>

namespace vtmirror::agent {

using boost::asio::awaitable;

namespace {

base::Result<std::vector<core::FileRecord>> chosen_of(const catalogue::Files& catalogue,
                                                      const std::vector<std::string>& names) {
  const auto files = catalogue.files();
  if (!files) return files.error();
  return core::selected_files(*files, names);
}

}  // namespace

Verification::Verification(Ports ports, core::VerificationRequest request)
    : ports_(ports), names_(std::move(request.names)) {
  reading_.bytes_a_second = request.bytes_a_second;
}

awaitable<base::Result<void>> Verification::choose() {
  CatalogueCalls calls(ports_.catalogue);
  auto read = [names = names_](const catalogue::Files& files) { return chosen_of(files, names); };
  auto chosen = co_await calls(std::move(read));
  if (!chosen) co_return chosen.error();
  files_ = std::move(*chosen);
  chosen_ = true;
  progress_.started = ports_.clock.now();
  progress_.files = static_cast<int>(files_.size());
  for (const auto& file : files_) progress_.bytes += file.size;
  report_.left = progress_.files;
  co_return base::Result<void>();
}

awaitable<base::Result<void>> Verification::run(std::shared_ptr<Agent> agent) {
  const auto begun = ports_.clock.steady();
  if (!chosen_) {
    auto chosen = co_await choose();
    if (!chosen) co_return chosen;
  }
  base::Result<void> ended;
  while (next_ < files_.size() && !reading_.interrupted && !ports_.stop.requested()) {
    reading_.bytes = 0;
    auto finding = co_await agent->read_again(files_[next_], reading_);
    if (!finding) {
      if (finding.error().code != base::Errc::cancelled) ended = finding.error();
      break;
    }
    note(std::move(*finding));
  }
  report_.took = report_.took + (ports_.clock.steady() - begun);
  if (!ended) co_return ended;
  CatalogueCalls calls(ports_.catalogue);
  auto now = co_await calls(catalogue::chain_now);
  if (!now) co_return now.error();
  report_.chain = std::move(now->chain);
  co_return ended;
}

void Verification::note(core::Finding finding) {
  using core::Verdict;
  const auto verdict = finding.verdict;
  const auto size = finding.size;
  ++next_;
  --report_.left;
  progress_.done = static_cast<int>(next_);
  passed_ += size;
  if (verdict == Verdict::gone) return;
  found_ = found_ || verdict == Verdict::damaged || verdict == Verdict::lost || verdict == Verdict::mended;
  ++report_.files;
  if (verdict != Verdict::lost && verdict != Verdict::unread) report_.bytes += size;
  if (verdict != Verdict::whole) report_.findings.push_back(std::move(finding));
}

const ports::CycleProgress& Verification::progress() {
  progress_.downloads.clear();
  progress_.received = passed_;
  if (!chosen_ || next_ == files_.size()) return progress_;
  const auto& file = files_[next_];
  // A ZIP that needs a closer look is read twice.
  const auto read = std::min<std::int64_t>(reading_.bytes, file.size);
  auto& row = progress_.downloads.emplace_back();
  row.name = file.name;
  row.size = file.size;
  row.received = row.fetched = read;
  progress_.received += read;
  row.phase = ports::DownloadProgress::Phase::fetching;
  row.connections = 1;  // to the disk
  return progress_;
}

awaitable<base::Result<void>> Verification::look_again() {
  CatalogueCalls calls(ports_.catalogue);
  auto now = co_await calls(catalogue::chain_now);
  if (!now) co_return now.error();
  for (auto& finding : report_.findings) {
    const auto file = std::ranges::find(now->files, finding.name, &core::FileRecord::name);
    finding.repaired = core::is_wrong(finding) && finding.verdict != core::Verdict::unread &&
                       file != now->files.end() && file->condition == core::Condition::whole;
  }
  report_.chain = std::move(now->chain);
  co_return base::Result<void>();
}

}  // namespace vtmirror::agent
