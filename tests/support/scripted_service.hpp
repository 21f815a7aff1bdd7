// Issuer, listing and store in one process, without HTTP. Their answers are right unless a test changes them.
// Counts the requests for tokens and listings, and keeps every request to the store.
#pragma once

#include "support/jumping_clock.hpp"
#include "support/numbered_bytes.hpp"
#include "vtmirror/core/listing.hpp"
#include "vtmirror/ports/http.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace vtmirror::test {

/// How the listing describes a file: correctly, or in a way that every client refuses.
enum class EntryForm {
  fine,
  no_size,   ///< its size cannot be read
  bad_name,  ///< its name leads out of the mirror; the day can be read
  misdated,  ///< its date is not the day in its name
  undated,   ///< neither name nor day can be read
};

struct UpstreamFile {
  core::Kind kind{};
  std::string date;  ///< YYYY-MM-DD
  std::int64_t size = 0;
  int version = 1;
  EntryForm form = EntryForm::fine;
};

/// One answer of the store: head, body, and how the body ends.
struct StoreAnswer {
  ports::RangeAnswer head;
  std::string body;
  std::optional<base::Error> end{};  ///< after the body; empty: the body is complete
};

struct StoreRequest {
  int number = 0;  ///< 1 is the first
  std::string name;
  core::Range range;
  std::string if_match;
};

class ScriptedService : public ports::Http {
 public:
  explicit ScriptedService(const ports::Clock& clock) : clock_(clock) {}

  std::map<std::string, UpstreamFile> files;
  std::map<std::string, UpstreamFile> to_come;  ///< listed too, by mistake: the store has none of them
  std::chrono::seconds link_life{300};
  /// Its own clock: each link says when it was signed, and the listing has a Date.
  std::function<base::Time()> its_clock{};
  std::chrono::seconds signed_ago{};  ///< how long before the listing its links were signed
  /// Changes or replaces the right answer.
  std::function<void(const StoreRequest&, StoreAnswer&)> store_script;
  /// An answer to the n-th listing request instead of the listing; status 0 lets it through.
  std::function<ports::Response(int)> listing_script;
  std::function<ports::Response(int)> token_script;
  /// An error instead of any answer of issuer or listing.
  std::function<std::optional<base::Error>(const ports::Request&)> connect_script;
  std::function<void()> before_body;  ///< called as each body begins, to let time pass

  int tokens = 0;
  int listings = 0;
  std::vector<StoreRequest> requests;

  boost::asio::awaitable<base::Result<ports::Response>> exchange(ports::Request request) override {
    if (connect_script)
      if (auto failed = connect_script(request)) co_return *failed;
    ports::Response response = request.method == "POST" ? token() : listing(request);
    co_return response;
  }

  std::unique_ptr<ports::Lane> lane() override { return std::make_unique<ScriptedLane>(*this); }

  StoreAnswer honest(const std::string& name, core::Range range) const {
    const auto& file = files.at(name);
    StoreAnswer answer;
    range.end = std::min(range.end, file.size);
    answer.head.status = 206;
    answer.head.range = range;
    answer.head.total = file.size;
    answer.head.length = range.size();
    answer.head.etag = etag(file);
    answer.head.content_type = "application/zip";
    answer.body = numbered_bytes(file.version, range.begin, range.end);
    return answer;
  }

  /// The answer of a store that ignores ranges.
  StoreAnswer whole(const std::string& name) const {
    auto answer = honest(name, {0, files.at(name).size});
    answer.head.status = 200;
    answer.head.range.reset();
    return answer;
  }

  static std::string etag(const UpstreamFile& file) { return "\"version-" + std::to_string(file.version) + "\""; }
  static StoreAnswer refusal(int status, std::string body = "") {
    StoreAnswer answer;
    answer.head.status = status;
    answer.head.length = std::ssize(body);
    answer.body = std::move(body);
    return answer;
  }

 private:
  class ScriptedLane : public ports::Lane {
   public:
    explicit ScriptedLane(ScriptedService& service) : service_(service) {}

    boost::asio::awaitable<base::Result<ports::RangeAnswer>> get(std::string url, core::Range range,
                                                                 std::string if_match) override {
      answer_ = service_.store(url, range, if_match);
      position_ = 0;
      if (service_.before_body) service_.before_body();
      co_return answer_.head;
    }

    boost::asio::awaitable<base::Result<std::size_t>> read(std::span<std::byte> into) override {
      // Odd sizes: blocks never fill exactly.
      const auto count = std::min({into.size(), answer_.body.size() - position_, std::size_t{7001}});
      if (count == 0 && answer_.end) co_return *answer_.end;
      std::memcpy(into.data(), answer_.body.data() + position_, count);
      position_ += count;
      co_return count;
    }

    void close() override {
      answer_.body.clear();
      position_ = 0;
      answer_.end = base::Error{base::Errc::cancelled, "closed"};
    }

   private:
    ScriptedService& service_;
    StoreAnswer answer_;
    std::size_t position_ = 0;
  };

  ports::Response token() {
    ++tokens;
    if (token_script)
      if (auto scripted = token_script(tokens); scripted.status != 0) return scripted;
    return {
        .status = 200,
        .body = R"({"token_type":"Bearer","expires_in":3599,"access_token":"token-)" + std::to_string(tokens) + "\"}"};
  }

  ports::Response listing(const ports::Request&) {
    ++listings;
    if (listing_script)
      if (auto scripted = listing_script(listings); scripted.status != 0) return scripted;
    auto query = "?listing=" + std::to_string(listings) + "&X-Amz-Expires=" + std::to_string(link_life.count());
    if (its_clock) query += "&X-Amz-Date=" + basic(base::iso8601(its_clock() - signed_ago));
    std::string bulk;
    std::string delta;
    for (const auto* listed : {&files, &to_come})
      for (const auto& [name, file] : *listed) {
        // Once its day has come, it is listed once.
        if (listed == &to_come && files.contains(name)) continue;
        auto& rows = file.kind == core::Kind::bulk ? bulk : delta;
        if (!rows.empty()) rows += ",";
        rows += entry(name, file, query);
      }
    issued_[listings] = clock_.steady();
    ports::Response response{.status = 200, .body = R"({"bulk":[)" + bulk + R"(],"delta":[)" + delta + "]}"};
    if (its_clock) response.date = its_clock();
    return response;
  }

  static std::string entry(const std::string& name, const UpstreamFile& file, const std::string& query) {
    return R"({"filename":")" + shown_name(name, file.form) + R"(","downloadUrl":"https://store.example/)" + name +
           query + R"(","fileSize":)" + (file.form == EntryForm::no_size ? "null" : std::to_string(file.size)) +
           R"(,"fileCreatedOn":")" + shown_date(file) + "\"}";
  }

  /// "20261118T080000Z"
  static std::string basic(std::string time) {
    std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
    return time;
  }

  static std::string shown_date(const UpstreamFile& file) {
    if (file.form == EntryForm::misdated) return file.date == "2020-02-02" ? "2020-02-03" : "2020-02-02";
    return file.form == EntryForm::undated ? "soon" : file.date;
  }

  static std::string shown_name(const std::string& name, EntryForm form) {
    if (form == EntryForm::bad_name) return "../" + name;
    return form == EntryForm::undated ? "export.zip.part" : name;
  }

  StoreAnswer store(const std::string& url, core::Range range, const std::string& if_match) {
    constexpr std::string_view host = "https://store.example/";
    const auto query = url.find("?listing=");
    const auto name = url.substr(host.size(), query - host.size());
    const int issued = std::stoi(url.substr(query + 9));
    const StoreRequest request{static_cast<int>(requests.size()) + 1, name, range, if_match};
    requests.push_back(request);
    StoreAnswer answer;
    if (clock_.steady() - issued_.at(issued) > link_life)
      answer = refusal(403, "<Message>Request has expired</Message>");
    else if (!files.contains(name))
      answer = refusal(404);
    else if (!if_match.empty() && if_match != etag(files.at(name)))
      answer = refusal(412);
    else
      answer = honest(name, range);
    if (store_script) store_script(request, answer);
    return answer;
  }

  const ports::Clock& clock_;
  std::map<int, base::Steady> issued_;
};

}  // namespace vtmirror::test
