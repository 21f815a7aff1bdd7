#include "simulator/state.hpp"

#include "simulator/digest.hpp"

#include <algorithm>

namespace vtmirror::simulator {
namespace {

constexpr std::size_t most_items = 24;

std::string uuid() {
  std::string text = random_hex(16);
  for (const std::size_t at : {8U, 13U, 18U, 23U}) text.insert(at, 1, '-');
  return text;
}

}  // namespace

Identity make_identity() {
  return {.client_id = uuid(),
          .client_secrets = {"secret~" + random_hex(16)},
          .api_key = "key-" + random_hex(18),
          .email = "mirror@client.example",
          .scope = "https://vtmirror.example/.default"};
}

std::shared_ptr<const Archive> Shelf::get(const Recipe& recipe) { return item(recipe).archive; }

std::string Shelf::sha256(const Recipe& recipe) {
  Item& found = item(recipe);
  if (found.sha256.empty()) found.sha256 = simulator::sha256(*found.archive);
  return found.sha256;
}

Shelf::Item& Shelf::item(const Recipe& recipe) {
  const auto found =
      std::find_if(items_.begin(), items_.end(), [&](const Item& each) { return each.recipe == recipe; });
  if (found != items_.end()) return *found;
  if (items_.size() == most_items) items_.erase(items_.begin());
  items_.push_back(
      {.recipe = recipe, .archive = std::make_shared<const Archive>(Archive::build(recipe)), .sha256 = {}});
  return items_.back();
}

}  // namespace vtmirror::simulator
