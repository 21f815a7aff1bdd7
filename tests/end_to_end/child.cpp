#include "end_to_end/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>

extern char** environ;

namespace vtmirror::test {

namespace {

constexpr std::chrono::seconds longest_run{120};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> whole_environment(const std::vector<std::string>& added) {
  std::vector<std::string> all(added);
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

}  // namespace

Child::Child(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const auto all = whole_environment(environment);
  auto arguments = pointers(command);
  auto variables = pointers(all);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, 0);
    ::dup2(out[1], 1);
    ::dup2(err[1], 2);
    ::execvpe(arguments[0], arguments.data(), variables.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  out_ = out[0];
  err_ = err[0];
}

std::vector<std::string>& everything_said() {
  static std::vector<std::string> all;
  return all;
}

Child::~Child() {
  everything_said().push_back(ended_.out + '\n' + ended_.err);
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);  // its group: a server's workers go with it
    ::waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

void Child::signal(int number) {
  if (pid_ > 0) ::kill(pid_, number);
}

bool Child::read_some(int timeout_ms) {
  std::array<pollfd, 2> ends{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  if (::poll(ends.data(), ends.size(), timeout_ms) < 0) return true;
  std::array<char, 65536> buffer;
  const auto take = [&](int& end, const pollfd& state, std::string& text) {
    if (end < 0 || state.revents == 0) return;
    const auto count = ::read(end, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
      return;
    }
    ::close(end);
    end = -1;
  };
  take(out_, ends[0], ended_.out);
  take(err_, ends[1], ended_.err);
  return out_ >= 0 || err_ >= 0;
}

bool Child::read_until(const std::function<bool(const Ended&)>& enough) {
  const auto deadline = std::chrono::steady_clock::now() + longest_run;
  while (!enough(ended_)) {
    if (!read_some(1000) || std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

Ended Child::wait() {
  const auto deadline = std::chrono::steady_clock::now() + longest_run;
  while (read_some(1000)) {
    if (std::chrono::steady_clock::now() > deadline) {
      ended_.err += "\n(killed by the test: it ran too long)\n";
      ::kill(-pid_, SIGKILL);  // its group: one that goes on would keep the pipes open
    }
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  ended_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended_;
}

Ended run(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  Child child(command, environment);
  return child.wait();
}

}  // namespace vtmirror::test
