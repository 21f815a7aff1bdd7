#include "control/followers.hpp"

#include <utility>

namespace vtmirror::control {

void Followers::publish(const std::string& event) {
  for (auto* follower : all_) follower->add(event);
}

Follower::Follower(Followers& all, Wire& wire, std::size_t limit)
    : all_(all), wire_(wire), limit_(limit), at_(all.all_.insert(all.all_.end(), this)) {}

Follower::~Follower() { all_.all_.erase(at_); }

void Follower::add(const std::string& text) {
  if (wire_.closed()) return;
  if (queue_.size() + under_way_ + text.size() > limit_) {
    wire_.close();
    return;
  }
  queue_ += text;
  wire_.wake();
}

std::string Follower::take() {
  under_way_ = queue_.size();
  return std::exchange(queue_, {});
}

}  // namespace vtmirror::control
