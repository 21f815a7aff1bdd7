// Text as HTML, and times and days as a reader of the page sees them.
// Promises that no text can end as markup or leave an attribute in quotes. Pure.
#pragma once

#include "vtmirror/base/time.hpp"
#include "vtmirror/report/days.hpp"
#include "vtmirror/web/page.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace vtmirror::web {

/// For text and for attributes in double quotes. Control characters are replaced; a very long text is cut.
std::string escaped(std::string_view text);

/// `<b class="...">escaped text</b>` and the like; no class if it is empty.
std::string element(std::string_view tag, std::string_view css_class, std::string_view text);

/// Escaped too; each "2026-11-28" is a <time>, which is never broken into two lines.
std::string prose(std::string_view text);

/// As `prose`; what stands between two backticks is a `<code>`.
std::string with_code(std::string_view text);

/// "2026-11-28", never broken into two lines.
std::string date_html(base::Date date);

/// "41.5": one digit behind the point, for places in per cent.
std::string percent(double share);

/// "today 08:03" in a <time> that the script shows by the reader's clock.
class PageClock {
 public:
  explicit PageClock(const PageFacts& facts) : now_(facts.now), offset_(facts.utc_offset) {}

  std::string at(base::Time time) const;
  /// "today 08:03" as plain text
  std::string text(base::Time time) const;
  /// "Wed 18 Nov 2026, 08:30" as plain text: it stays right on paper
  std::string in_full(base::Time time) const;
  /// "in 14h", "3m ago", "now"
  std::string away(base::Time time) const;
  base::Date today() const { return day_of(now_); }
  base::Date day_of(base::Time time) const;

 private:
  base::Time now_;
  const report::UtcOffset& offset_;
};

/// In the place of what the catalogue would have said.
std::string unreadable_html(const PageFacts& facts);

// The parts of the page, each as the HTML of its element.

std::string head_html(const PageFacts& facts);
std::string problems_html(const PageFacts& facts);
std::string transfers_html(const PageFacts& facts);
std::string week_html(const PageFacts& facts);
std::string year_html(const PageFacts& facts);
std::string cycles_html(const PageFacts& facts);
std::string figures_html(const PageFacts& facts);
std::string consumers_html(const PageFacts& facts);
std::string foot_html(const PageFacts& facts);

/// Whether the running cycle may still bring all that the chain lacks: it has files to download.
bool is_on_the_way(const PageFacts& facts);

/// "Complete through Wed 18 Nov": the page in one sentence, and how good that is.
struct Headline {
  std::string words;
  std::string_view tone;  ///< ok, wait, bad
};
Headline headline_of(const PageFacts& facts);

}  // namespace vtmirror::web
