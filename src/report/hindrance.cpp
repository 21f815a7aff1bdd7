#include "report/hindrance.hpp"

namespace vtmirror::report {

std::string sentence(core::Hindrance hindrance, const std::string& subject, const std::string& reason) {
  switch (hindrance) {
    case core::Hindrance::unread_directory:
      return "the directory " + subject + " cannot be read: " + reason +
             "; its files count as they were last known, none is published there, and no file is pruned";
    case core::Hindrance::obstructed:
      return subject + " cannot be replaced: " + reason +
             " that vtmirror did not make, and stays as it is; notices about new files wait until it is gone";
    case core::Hindrance::stays:
      return subject + " could not be removed: " + reason + "; no manifest names it any more, and it takes up space";
    case core::Hindrance::none:
      break;
  }
  return subject + " could not be repaired after the last process ended: " + reason;
}

std::string_view advice_on(core::Hindrance hindrance) noexcept {
  switch (hindrance) {
    case core::Hindrance::unread_directory:
      return "give the daemon's user access to that directory, or check the disk; it is read again before each cycle";
    case core::Hindrance::obstructed:
      return "move it out of the mirror's directory; vtmirror removes nothing that it did not make, and tries again "
             "before each cycle";
    case core::Hindrance::stays:
      return "the daemon's user must be able to remove files in that directory: check its owner and permissions, and "
             "its attributes with `lsattr -d`; the removal is tried again before each cycle, and by `vtmirror prune`";
    case core::Hindrance::none:
      break;
  }
  return {};
}

}  // namespace vtmirror::report
