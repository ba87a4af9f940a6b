// What watches a whole process for faults takes ours, of which it knows nothing, for the program's. Whoever looks for
// faults looks for no seconds: what we preload does nothing there.
//
// - The run-time libraries of programs built with -fsanitize watch memory. They also open files and start threads while
//   they hold locks of their own, in which a library that does something then waits for ever.
// - Valgrind's Helgrind and DRD look for threads that use the same memory without a lock, as ours do: they told of a
//   hundred thousand races of ours in a job that has seven. Memcheck has nothing to say of us.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstring>

namespace clearway {

inline int note_race_detector(dl_phdr_info* info, std::size_t, void*) {
    const char* slash = info->dlpi_name != nullptr ? std::strrchr(info->dlpi_name, '/') : nullptr;
    if (slash == nullptr) return 0;
    for (const char* library : {"/vgpreload_helgrind-", "/vgpreload_drd-"})
        if (std::strncmp(slash, library, std::strlen(library)) == 0) return 1;
    return 0;
}

// Why a program is not to be recorded; null: nothing of the kind watches it.
inline const char* watched_for_faults() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return nullptr;  // we ourselves are looked at
#else
    for (const char* runtime : {"__asan_init", "__tsan_init", "__msan_init"})
        if (dlsym(RTLD_DEFAULT, runtime) != nullptr)
            return "cannot record a program that is built with a sanitizer (-fsanitize)";
    if (dl_iterate_phdr(note_race_detector, nullptr) != 0) return "cannot record a program under Helgrind or DRD";
    return nullptr;
#endif
}

}  // namespace clearway
