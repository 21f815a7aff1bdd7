// Mail through real programs: msmtp as the sendmail program, exim as the server that accepts or refuses it.
#include "end_to_end/listener.hpp"
#include "end_to_end/rig.hpp"
#include "support/skip.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

using namespace vtmirror::test;
namespace fs = std::filesystem;

namespace {

std::optional<std::string> no_mail() {
  if (auto why = absent("exim4", "exim4-daemon-light")) return why;
  if (auto why = absent("msmtp", "msmtp")) return why;
  if (::geteuid() != 0) return "exim takes a configuration of its own from root alone";
  return std::nullopt;
}

/// Accepts mail for every receiver but "refused", and for "greylisted" only after `let_through`. Accepted mail stays in
/// its queue, where the test reads it.
class MailServer {
 public:
  explicit MailServer(Rig& rig) : root_(rig.directory() / "exim") {
    fs::create_directories(root_ / "spool");
    fs::create_directories(root_ / "log");
    for (const auto& each : {rig.directory(), root_, root_ / "spool", root_ / "log"})
      fs::permissions(each, fs::perms::all);
    write_file(root_ / "exim.conf", configuration());
    // With -bw, exim expects the listening socket as its stdin.
    const auto command =
        "exec /usr/sbin/exim4 -C " + (root_ / "exim.conf").string() + " -bw10m <&" + std::to_string(listener_.socket());
    server_ = std::make_unique<Child>(std::vector<std::string>{"/bin/sh", "-c", command});
    listener_.close();
  }

  int port() const { return listener_.port(); }
  void let_through() { write_file(root_ / "let-through", ""); }

  /// Headers and bodies of all mail that it has accepted.
  std::string taken() const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "spool/input"))
      if (entry.is_regular_file()) all += read_file(entry.path());
    return all;
  }

 private:
  std::string configuration() const {
    return "primary_hostname = mail.example\nspool_directory = " + (root_ / "spool").string() +
           "\nlog_file_path = " + (root_ / "log").string() +
           "/%slog\nqueue_only = true\nacl_smtp_rcpt = receiver\nacl_smtp_data = accept\n" +
           "host_lookup =\nrfc1413_query_timeout = 0s\ntls_advertise_hosts =\nkeep_environment =\n" +
           "begin acl\nreceiver:\n  deny local_parts = refused\n       message = nobody of that name\n" +
           "  defer local_parts = greylisted\n        condition = ${if exists{" + (root_ / "let-through").string() +
           "}{no}{yes}}\n        message = greylisted, come back later\n  accept\n" +
           "begin authenticators\nplain:\n  driver = plaintext\n  public_name = PLAIN\n" +
           "  server_condition = ${if eq{$auth3}{right}{yes}{no}}\n  server_set_id = $auth2\n";
  }

  fs::path root_;
  Listener listener_;
  std::unique_ptr<Child> server_;
};

/// Writes msmtp's configuration. Returns the variable that makes its directory msmtp's home.
std::string home_for_msmtp(const Rig& rig, int port, const std::string& more = "") {
  const auto file = rig.directory() / ".msmtprc";
  write_file(file, "account default\nhost 127.0.0.1\nport " + std::to_string(port) + "\ntimeout 10\n" + more);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return "HOME=" + rig.directory().string();
}

void set_mail(Rig& rig, const std::string& receivers) {
  rig.set("notify", "mail_to", receivers);
  rig.set("notify", "mail_from", "\"mirror@fleet.example\"");
  rig.set("notify", "sendmail", "\"/usr/bin/msmtp\"");
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

TEST_CASE("mail is delivered, and what the mail server refuses or defers is reported with its message") {
  if (const auto why = no_mail()) return skip(*why);
  Rig rig;
  const MailServer server(rig);
  set_mail(rig, R"(["ops@fleet.example", "greylisted@fleet.example", "refused@fleet.example"])");
  const auto ended = rig.vtmirror({"notify", "test"}, {home_for_msmtp(rig, server.port())});
  INFO(ended.out, ended.err);
  CHECK(ended.status == 1);
  CHECK(says(ended.out, "mail to ops@fleet.example: ok, accepted by /usr/bin/msmtp\n"));
  CHECK(says(ended.out, "mail to greylisted@fleet.example: failed, /usr/bin/msmtp: exit status "));
  CHECK(says(ended.out, "greylisted, come back later"));
  CHECK(says(ended.out, "mail to refused@fleet.example: failed, /usr/bin/msmtp: exit status "));
  CHECK(says(ended.out, "nobody of that name"));
  const auto mail = server.taken();
  CHECK(says(mail, "<mirror@fleet.example>"));
  CHECK(says(mail, "Auto-Submitted: auto-generated"));
  CHECK(says(mail, "this is a test notification; nothing is wrong"));
  CHECK_FALSE(says(mail, "greylisted@"));
}

TEST_CASE("a refused login is a permanent failure, the right one is accepted, and the password appears nowhere") {
  if (const auto why = no_mail()) return skip(*why);
  Rig rig;
  const MailServer server(rig);
  set_mail(rig, R"(["ops@fleet.example"])");
  const std::string login = "auth plain\ntls off\nuser mirror\npassword ";
  const auto refused = rig.vtmirror({"notify", "test"}, {home_for_msmtp(rig, server.port(), login + "wr0ng\n")});
  INFO(refused.out, refused.err);
  CHECK(refused.status == 1);
  CHECK(says(refused.out, "exit status 77 (the login was refused, or a permission is missing)"));
  CHECK_FALSE(says(refused.out + refused.err, "wr0ng"));
  CHECK(rig.vtmirror({"notify", "test"}, {home_for_msmtp(rig, server.port(), login + "right\n")}).status == 0);
}

TEST_CASE("a server that is down is no end: the warning is delivered when mail works again, each once") {
  if (const auto why = no_mail()) return skip(*why);
  Rig rig;
  set_mail(rig, R"(["ops@fleet.example"])");
  Listener nobody;
  const auto port = nobody.port();
  nobody.close();
  const auto reserve = [&rig](const std::string& size) { rig.set("mirror", "reserve", '"' + size + '"'); };
  reserve("900TiB");
  const auto down = rig.vtmirror({"sync"}, {home_for_msmtp(rig, port)});
  INFO(down.out, down.err);
  CHECK(down.status == 1);
  CHECK(says(down.err, "mail to ops@fleet.example could not deliver \""));
  CHECK(says(down.err, " does not fit: "));
  CHECK_FALSE(says(down.err, "low_space"));
  const MailServer server(rig);
  reserve("1MiB");
  // The end of the problem is sent at once. Since that delivery succeeds, the mail that was put off is sent too.
  const auto up = rig.vtmirror({"sync"}, {home_for_msmtp(rig, server.port())});
  INFO(up.out, up.err);
  CHECK(up.status == 0);
  const auto mail = server.taken();
  CHECK(says(mail, "stage:      began"));
  CHECK(says(mail, "stage:      over"));
  CHECK(rig.vtmirror({"sync"}, {home_for_msmtp(rig, server.port())}).status == 0);
  CHECK(server.taken() == mail);
}

}  // namespace
