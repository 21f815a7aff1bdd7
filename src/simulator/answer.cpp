#include "simulator/answer.hpp"

namespace vtmirror::simulator {

Answer text_answer(int status, std::string content_type, std::string text) {
  Answer answer{.status = status, .text = std::move(text)};
  answer.headers.emplace_back("Content-Type", std::move(content_type));
  return answer;
}

}  // namespace vtmirror::simulator
