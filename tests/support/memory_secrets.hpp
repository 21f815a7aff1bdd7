// The state directory's secrets in memory, dying at a chosen call: before it changes anything, or right after.
#pragma once

#include "vtmirror/ports/secrets.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace vtmirror::test {

class MemorySecrets : public ports::Secrets {
 public:
  std::optional<std::string> kept;  ///< in use
  std::optional<std::string> fresh;
  std::vector<core::SecretIssue> records;
  bool turn_taken = false;
  bool lost = false;  ///< the process died as it was about to write the new secret: no client can help that

  /// The process dies at the k-th call from now on (1 is the next); `after` its effect or before it. All later calls
  /// fail and change nothing.
  void die_at(int call, bool after) {
    calls_left_ = call;
    after_ = after;
  }
  void restart() {
    calls_left_.reset();
    dead_ = false;
    turn_taken = false;
  }
  bool died() const { return dead_; }

  base::Result<std::unique_ptr<Turn>> acquire_turn() override {
    if (!step()) return dead();
    if (turn_taken) return base::Error{base::Errc::locked, "being changed by another process"};
    turn_taken = true;
    return done(std::unique_ptr<Turn>(std::make_unique<Held>(*this)));
  }
  base::Result<std::string> fingerprint(const base::Secret& text) override {
    if (!step()) return dead();
    return done("print of " + text.reveal());
  }
  base::Result<void> make_room() override {
    return change([&] { fresh = ""; });
  }
  base::Result<void> keep_new(const base::Secret& secret) override {
    lost = true;
    return change([&] {
      fresh = secret.reveal();
      lost = false;
    });
  }
  base::Result<void> keep_issue(const core::SecretIssue& issue) override {
    return change([&] { add(issue); });
  }
  base::Result<std::optional<base::Secret>> unproved() override {
    if (!step()) return dead();
    std::optional<base::Secret> found;
    if (fresh && !fresh->empty()) found = base::Secret(*fresh);
    return done(std::move(found));
  }
  base::Result<void> drop_new() override {
    return change([&] { fresh.reset(); });
  }
  base::Result<void> adopt(const core::SecretIssue& issue) override {
    return change([&] {
      add(issue);
      kept = std::exchange(fresh, std::nullopt);
    });
  }
  base::Result<std::vector<core::SecretIssue>> issues() override {
    if (!step()) return dead();
    return done(records);
  }
  base::Result<void> keep_given(const std::string& fingerprint, const std::string& given) override {
    return change([&] {
      for (auto& record : records)
        if (record.fingerprint == fingerprint) record.given = given;
    });
  }

 private:
  class Held : public Turn {
   public:
    explicit Held(MemorySecrets& secrets) : secrets_(secrets) {}
    ~Held() override { secrets_.turn_taken = false; }

   private:
    MemorySecrets& secrets_;
  };

  static base::Error dead() { return {base::Errc::io, "the process is dead"}; }

  bool step() {
    if (dead_) return false;
    dies_now_ = calls_left_ && --*calls_left_ == 0;
    if (dies_now_ && !after_) dead_ = true;
    return !dead_;
  }
  template <class T>
  base::Result<T> done(T value) {
    if (!dies_now_) return value;
    dead_ = true;
    return dead();
  }
  template <class Change>
  base::Result<void> change(Change apply) {
    if (!step()) return dead();
    apply();
    if (!dies_now_) return {};
    dead_ = true;
    return dead();
  }
  void add(const core::SecretIssue& issue) {
    const auto same = [&](const auto& each) { return each.fingerprint == issue.fingerprint; };
    if (std::none_of(records.begin(), records.end(), same)) records.push_back(issue);
  }

  std::optional<int> calls_left_;
  bool after_ = false;
  bool dies_now_ = false;
  bool dead_ = false;
};

}  // namespace vtmirror::test
