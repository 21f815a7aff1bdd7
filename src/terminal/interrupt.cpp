#include "vtmirror/terminal/interrupt.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace vtmirror::terminal {

Interrupt::Interrupt(bool suspends) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, number);
  if (suspends) ::sigaddset(&signals, SIGTSTP);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  // Without a descriptor, the signals keep their usual actions.
  if (descriptor_ < 0) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

Interrupt::~Interrupt() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int Interrupt::take() {
  signalfd_siginfo info{};
  return ::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo)
                                                                                      : 0;
}

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace vtmirror::terminal
