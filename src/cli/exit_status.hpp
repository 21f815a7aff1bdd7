// The program's exit statuses, which scripts rely on.
#pragma once

namespace vtmirror::cli {

enum ExitStatus : int {
  done = 0,
  failed = 1,  ///< tried and failed, or not all of it done
  wrong = 2,   ///< wrong usage or configuration
  no_daemon = 3,
  held = 4,  ///< another process holds the mirror
};

}  // namespace vtmirror::cli
