// A mirror's directory in memory that forgets what was not synced, and dies at a chosen call.
// Its check takes a file for whole when its bytes are the numbered bytes of the version that its first byte names.
#pragma once

#include "support/numbered_bytes.hpp"
#include "vtmirror/ports/storage.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace vtmirror::test {

class MemoryStorage : public ports::Storage {
 public:
  struct Unfinished {
    std::string written;
    std::string synced;
  };

  /// The process dies at the k-th call from now on (1 is the next): that one and all after it fail and change nothing.
  void die_at(int call) { calls_left_ = call; }
  /// What a power cut leaves; the next process starts.
  void power_cut() {
    for (auto& [name, file] : unfinished) file.written = file.synced;
    calls_left_.reset();
  }
  int calls() const { return calls_; }

  base::Result<void> in_place() override { return {}; }

  base::Result<std::vector<core::LocalFile>> public_files() override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive.error();
    std::vector<core::LocalFile> files;
    for (const auto& [name, bytes] : published) files.push_back({name, std::ssize(bytes), std::ssize(bytes)});
    return files;
  }

  base::Result<std::vector<core::LocalFile>> partial_files() override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive.error();
    std::vector<core::LocalFile> files;
    for (const auto& [name, file] : unfinished)
      files.push_back({name, std::ssize(file.written), std::ssize(file.written)});
    return files;
  }

  base::Result<std::unique_ptr<ports::Partial>> open_partial(const std::string& name, std::int64_t size,
                                                             std::int64_t kept) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive.error();
    const auto there = unfinished.find(name);
    if (kept > 0 && (there == unfinished.end() || std::ssize(there->second.written) < kept)) return nullptr;
    auto& file = unfinished[name];
    if (kept == 0) file = {};
    file.written.resize(static_cast<std::size_t>(size));
    file.synced.resize(static_cast<std::size_t>(size));
    return std::unique_ptr<ports::Partial>(std::make_unique<Open>(*this, name));
  }

  base::Result<void> drop_partial(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive;
    unfinished.erase(name);
    return {};
  }

  base::Result<ports::Checked> check_partial(const std::string& name, std::int64_t size, ports::CheckRules,
                                             const ports::Watch&) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive.error();
    return check(unfinished[name].written, size);
  }

  base::Result<ports::Checked> check_public(const std::string& name, std::int64_t size, ports::CheckRules,
                                            const ports::Watch&) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive.error();
    return check(published[name], size);
  }

  base::Result<void> publish(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive;
    published[name] = unfinished.at(name).synced;
    unfinished.erase(name);
    return {};
  }

  base::Result<void> quarantine(const std::string& name, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive;
    quarantined[name] = reason;
    unfinished.erase(name);
    return {};
  }

  base::Result<void> remove_public(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive;
    published.erase(name);
    return {};
  }

  base::Result<void> write_manifest(const ports::Manifest& written, const std::vector<core::Held>& held) override {
    const std::lock_guard lock(mutex_);
    if (auto alive = step(); !alive) return alive;
    manifest = written;
    sums = held;
    return {};
  }

  std::optional<std::int64_t> manifest_generation() override {
    if (!manifest) return std::nullopt;
    return manifest->generation;
  }

  base::Result<ports::Remains> remains() override {
    ports::Remains remains;
    if (!manifest) return remains;
    remains.generation = manifest->generation;
    remains.published_at = manifest->published_at;
    remains.chain = manifest->chain.files;
    remains.absent_upstream = manifest->chain.absent_upstream;
    for (const auto& file : sums) remains.sums.emplace_back(file.name, file.sha256);
    return remains;
  }

  base::Result<std::int64_t> free_space() override { return free; }

  static bool whole(const std::string& bytes) {
    if (bytes.empty()) return false;
    return bytes == numbered_bytes(bytes.front(), 0, std::ssize(bytes));
  }

  std::map<std::string, std::string> published;
  std::map<std::string, Unfinished> unfinished;
  std::map<std::string, std::string> quarantined;
  std::optional<ports::Manifest> manifest;
  std::vector<core::Held> sums;
  std::int64_t free = std::int64_t{1} << 40;

 private:
  class Open : public ports::Partial {
   public:
    Open(MemoryStorage& storage, std::string name) : storage_(storage), name_(std::move(name)) {}
    base::Result<void> write(std::int64_t offset, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      auto& file = storage_.unfinished.at(name_).written;
      std::transform(bytes.begin(), bytes.end(), file.begin() + offset,
                     [](std::byte b) { return static_cast<char>(b); });
      return {};
    }
    base::Result<void> sync() override {
      const std::lock_guard lock(storage_.mutex_);
      if (auto alive = storage_.step(); !alive) return alive;
      auto& file = storage_.unfinished.at(name_);
      file.synced = file.written;
      return {};
    }

   private:
    MemoryStorage& storage_;
    std::string name_;
  };

  base::Result<void> step() {
    ++calls_;
    if (calls_left_ && --*calls_left_ <= 0) {
      calls_left_ = 0;
      return base::Error{base::Errc::io, "the process is dead"};
    }
    return {};
  }

  static base::Result<ports::Checked> check(const std::string& bytes, std::int64_t size) {
    if (std::ssize(bytes) != size) return base::Error{base::Errc::integrity, "wrong size"};
    if (!whole(bytes)) return base::Error{base::Errc::integrity, "member a.json.gz: wrong checksum"};
    return ports::Checked{size, "digest-of-version-" + std::to_string(bytes.front())};
  }

  std::mutex mutex_;
  int calls_ = 0;
  std::optional<int> calls_left_;
};

}  // namespace vtmirror::test
