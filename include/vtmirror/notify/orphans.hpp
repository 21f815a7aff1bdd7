// The duty of the first process (PID 1): a process whose parent has ended becomes its child, and remains as a zombie
// until it is reaped. What a hook leaves in the background becomes such an orphan.
// Promises that the end of a program that this room started is never taken from the code that waits for it.
#pragma once

namespace vtmirror::notify {

/// Reaps every child of this process that has ended and that this room did not start, and returns their number. Does
/// not wait. Only for a process that starts no programs except by this room.
int reap_orphans();

}  // namespace vtmirror::notify
