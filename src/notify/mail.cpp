// Mail, through the sendmail program.

#include "notify/child.hpp"

#include "notify/mail_text.hpp"
#include "vtmirror/base/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vtmirror::notify {
namespace {

using boost::asio::awaitable;

/// A delivery under way at the stop may finish: a message whose sending was interrupted would be sent twice.
constexpr auto patience_at_the_stop = std::chrono::milliseconds(2500);

struct Meaning {
  int status;
  base::Errc code;
  const char* words;
};

/// sysexits.h
constexpr std::array meanings{
    Meaning{64, base::Errc::forbidden, "wrong usage"},
    Meaning{65, base::Errc::forbidden, "the message or the address was refused"},
    Meaning{67, base::Errc::forbidden, "the address is unknown"},
    Meaning{68, base::Errc::forbidden, "the host is unknown"},
    Meaning{69, base::Errc::unreachable, "the mail server is not accepting mail"},
    Meaning{75, base::Errc::unreachable, "a temporary failure"},
    Meaning{77, base::Errc::forbidden, "the login was refused, or a permission is missing"},
    Meaning{78, base::Errc::forbidden, "its configuration is wrong"},
};

/// Bytes of the program's own messages to keep.
constexpr std::size_t enough = 2000;

class Mail : public ports::Channel {
 public:
  Mail(Resources resources, MailSettings settings)
      : resources_(resources), settings_(std::move(settings)), name_("mail to " + settings_.to) {}

  const std::string& name() const override { return name_; }
  const std::vector<core::Topic>& topics() const override { return topics_; }
  core::DeliveryOrder order() const override { return core::DeliveryOrder::by_due; }
  awaitable<base::Result<std::string>> deliver(core::Notice notice) override;

 private:
  Program program(const core::Notice& notice) const;
  base::Error refusal(const Ended& ended, const Limits& limits, const std::string& said) const;

  Resources resources_;
  MailSettings settings_;
  std::string name_;
  std::vector<core::Topic> topics_{core::Topic::warning};
};

Program Mail::program(const core::Notice& notice) const {
  Program program{.command = {settings_.program, "-i"}, .environment = inherited_variables()};
  if (!settings_.from.empty()) program.command.insert(program.command.end(), {"-f", settings_.from});
  program.command.insert(program.command.end(), {"--", settings_.to});
  program.input = mail_text(notice, settings_);
  return program;
}

base::Error Mail::refusal(const Ended& ended, const Limits& limits, const std::string& said) const {
  base::Error error{.code = base::Errc::forbidden, .detail = settings_.program + ": " + words(ended, limits)};
  if (ended.timed_out) error.code = base::Errc::timed_out;
  for (const auto& meaning : meanings) {
    if (ended.signal != 0 || ended.timed_out || meaning.status != ended.status) continue;
    error.code = meaning.code;
    error.detail += std::string(" (") + meaning.words + ")";
  }
  const auto words_of_it = base::printable(base::trim(said), 300);
  if (!words_of_it.empty()) error.detail += ": " + words_of_it;
  return error;
}

awaitable<base::Result<std::string>> Mail::deliver(core::Notice notice) {
  const Limits limits{.timeout = settings_.timeout, .patience = patience_at_the_stop, .grace = std::chrono::seconds(1)};
  std::string said;
  auto take = [&said](std::string_view piece) { said += piece.substr(0, enough - std::min(enough, said.size())); };
  auto child = run(resources_, program(notice), limits, std::nullopt, std::move(take));
  const auto ended = co_await std::move(child);
  if (!ended) co_return ended.error();
  if (ended->timed_out || ended->signal != 0 || ended->status != 0) co_return refusal(*ended, limits, said);
  co_return "accepted by " + settings_.program;
}

}  // namespace

std::shared_ptr<ports::Channel> make_mail(Resources resources, MailSettings settings) {
  return std::make_shared<Mail>(resources, std::move(settings));
}

}  // namespace vtmirror::notify
