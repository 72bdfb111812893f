// How deep this process is in a line of forks: who remembers the number knows when it is in a child,
// where threads that were started before do not exist.
#pragma once

namespace dagwright {

// One of two globals of the core (the other: thread_pool.hpp). Asking for the number of the process instead costs a system call.
unsigned forks();

}  // namespace dagwright
