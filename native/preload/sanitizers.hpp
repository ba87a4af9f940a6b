// Programs built with -fsanitize: their run-time library watches the memory of everything in the process, and takes
// ours, of which it knows nothing, for the program's faults. It also opens files and starts threads while it holds
// locks of its own, in which a library that does something then waits for ever. Whoever looks for such faults looks for
// no seconds: what we preload does nothing there.
#pragma once

#include <dlfcn.h>

namespace clearway {

inline bool watched_by_sanitizer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;  // we ourselves are looked at
#else
    for (const char* runtime : {"__asan_init", "__tsan_init", "__msan_init"})
        if (dlsym(RTLD_DEFAULT, runtime) != nullptr) return true;
    return false;
#endif
}

}  // namespace clearway
