// The journal's message id of each kind of event. Part of the contract with operators: systemd/vtmirror.catalog
// explains each, and their filters use them. An id is created once, with `systemd-id128 new`, and never changed or
// given to another kind.
#pragma once

#include "vtmirror/ports/journal.hpp"

#include <string_view>

namespace vtmirror::host {

/// A switch rather than an array, so that the compiler reports a kind that was added without an id.
constexpr std::string_view message_id(ports::EventKind kind) noexcept {
  using ports::EventKind;
  switch (kind) {
    case EventKind::cycle_started:
      return "d804fccee0c8498eaa1a3ebadac74adb";
    case EventKind::listed:
      return "2cd1d991431340a893a2e2916f4d79b9";
    case EventKind::request_retried:
      return "5f584688d0ba4b2c81ea6bb3911c7503";
    case EventKind::entry_refused:
      return "9a7f5e7883ab43059fcacf40532b4956";
    case EventKind::planned:
      return "271f05a1e0774630bfc6b5d2eb0920c1";
    case EventKind::fetch_started:
      return "273b03d87a264be4a99ca356a5352053";
    case EventKind::fetch_retried:
      return "2c47278a031b488a8fa3a8646470a7c3";
    case EventKind::fetch_failed:
      return "1eb95cf203344c49921b3eb04b3105cf";
    case EventKind::checked:
      return "97dd239fd7f94bf894c01a7be52019bb";
    case EventKind::quarantined:
      return "781e2aff999e4445aa1c87de3a93da74";
    case EventKind::published:
      return "291ff68b28694aa498f8f411b5555286";
    case EventKind::adopted:
      return "d167f3bf8ddb4012a28f7a6010678537";
    case EventKind::superseded:
      return "79b1482516ee49f28fe0fe1ab4554f2f";
    case EventKind::pruned:
      return "85983f079cfb459d8d8507ec4a8aec1a";
    case EventKind::space_low:
      return "e4bdc44da9724998a8a09f8b42ebe188";
    case EventKind::recovered:
      return "7f641f0d97ec4151a21629565c66aa45";
    case EventKind::cycle_finished:
      return "6308253d091e475cad73631d883a348c";
    case EventKind::problem_began:
      return "6ed0d293b91840fba6483d2a3b2c8245";
    case EventKind::problem_over:
      return "8e8d7a624acd45e49f942df70d77ec9b";
    case EventKind::notice_delivered:
      return "b402b9681ed94629af3e810893f846ec";
    case EventKind::notice_delayed:
      return "b1a1cce289e94b56b90f71f5eb6314c4";
    case EventKind::notices_ended:
      return "6c65716fbd4a4802b9cc9a80f9197e34";
    case EventKind::hook_output:
      return "ff546b0c93e94563b8acf562891579cf";
    case EventKind::secret_warned:
      return "35ec809e88a24d79b5ae5006a96eeaa8";
    case EventKind::secret_changed:
      return "cd77402927b747c7be3037f20b8bd848";
    case EventKind::secret_rotation_failed:
      return "3710ad489ee4453ba2d38c63a1f5f8c1";
    case EventKind::catalogue_busy:
      return "bd6530a02ef646039c62c61d89b80929";
    case EventKind::damage_found:
      return "0bf8007e541f434287d070baa7fb9329";
    case EventKind::verified:
      return "73437ab497e6438cb1a3b5ce0bb44dc2";
    case EventKind::fetch_progress:
      return "11d4862ef7a942ce8540e2cd1cf9301a";
    case EventKind::daemon_started:
      return "1e194622175e488ab8326aea66466007";
    case EventKind::daemon_stopped:
      return "70c4b2c073cc4ede932750a2d576e9fe";
    case EventKind::next_wake:
      return "da0d49eed6bb46209e1edd2d75cdb951";
    case EventKind::consumer_forgotten:
      return "5d0c1f0b7d7e4c2a9a3e6f4b8c21d907";
    case EventKind::settings_read:
      return "b0c2f7de3a5d4f1c9a84c1d3e7f05a62";
  }
  return {};
}

}  // namespace vtmirror::host
