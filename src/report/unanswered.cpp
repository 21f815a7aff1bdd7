#include "vtmirror/report/unanswered.hpp"

namespace vtmirror::report {
namespace {

std::string as_root(const Unanswered& unanswered, const std::string& command) {
  return (unanswered.is_root ? "`" : "`sudo ") + command + '`';
}

std::string begin_with_settings(const Unanswered& unanswered) {
  const std::string init = "vtmirror config init";
  if (!unanswered.settings.empty())
    return "there is no settings file " + unanswered.settings + ": make it with `" + init + " --output " +
           unanswered.settings + "`, or give another with --config";
  const std::string begin = "there are no settings yet: begin with `" + init + '`';
  return unanswered.is_root ? begin : begin + ", or for a server with `sudo " + init + '`';
}

}  // namespace

std::string unit_command(const Unanswered& unanswered, const std::string& verb) {
  if (unanswered.daemon == AskedDaemon::system) return as_root(unanswered, "systemctl " + verb + " vtmirror");
  return unanswered.daemon == AskedDaemon::own ? "`systemctl --user " + verb + " vtmirror`" : std::string();
}

namespace {

std::string start(const Unanswered& unanswered) {
  const std::string with = "start it with ";
  const std::string socket = ", or give its socket with --socket";
  switch (unanswered.daemon) {
    case AskedDaemon::none:
      return begin_with_settings(unanswered);
    case AskedDaemon::system:
      return with + unit_command(unanswered, "start") + socket +
             (unanswered.is_root ? "" : "; for a mirror of your own, begin with `vtmirror config init`");
    case AskedDaemon::own:
      return with + unit_command(unanswered, "start") + ", or in the foreground with `vtmirror run`" + socket;
    case AskedDaemon::named:
      return with + "`vtmirror run --config " + unanswered.settings + '`' + socket;
    case AskedDaemon::other:
      break;
  }
  return "start its daemon, or give another socket with --socket";
}

std::string restart(const Unanswered& unanswered) {
  switch (unanswered.daemon) {
    case AskedDaemon::system:
      return "see " + as_root(unanswered, "journalctl -u vtmirror") + " for what it does, or restart it with " +
             unit_command(unanswered, "restart");
    case AskedDaemon::own:
      return "see `journalctl --user -u vtmirror` for what it does, or restart it with " +
             unit_command(unanswered, "restart");
    case AskedDaemon::none:
    case AskedDaemon::named:
    case AskedDaemon::other:
      break;
  }
  return "see its log for what it does, or end it and start it again";
}

}  // namespace

std::string advice(const Unanswered& unanswered) { return unanswered.hangs ? restart(unanswered) : start(unanswered); }

}  // namespace vtmirror::report
