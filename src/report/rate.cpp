#include "vtmirror/report/rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace vtmirror::report {
namespace {

constexpr double smoothed_over_seconds = 3.0;

}  // namespace

void SmoothRate::add(double bytes, double seconds) {
  if (seconds <= 0) return;
  const double share = 1 - std::exp(-seconds / smoothed_over_seconds);
  sum_ = sum_ * (1 - share) + bytes / seconds * share;
  weight_ = weight_ * (1 - share) + share;
}

Rates RateBook::update(const ports::CycleProgress& progress, base::Steady now) {
  const double seconds = last_ ? std::chrono::duration<double>(now - *last_).count() : 0;
  last_ = now;
  std::map<std::string, Seen> files;
  Rates rates;
  double all = 0;
  for (const auto& download : progress.downloads) {
    const auto before = files_.find(download.name);
    auto seen = before == files_.end() ? Seen{} : before->second;
    // The count of a file starts again if the file is downloaded from the beginning again.
    const auto arrived = static_cast<double>(std::max<std::int64_t>(download.fetched - seen.fetched, 0));
    seen.rate.add(arrived, seconds);
    seen.fetched = download.fetched;
    all += arrived;
    rates.files[download.name] = seen.rate.bytes_a_second();
    files[download.name] = seen;
  }
  files_ = std::move(files);
  total_.add(all, seconds);
  rates.total = total_.bytes_a_second();
  return rates;
}

}  // namespace vtmirror::report
