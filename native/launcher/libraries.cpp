#include "launcher/libraries.hpp"

#include <sys/auxv.h>
#include <unistd.h>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace clearway::launcher {

namespace {

// Where this program is. A container may have no /proc: then as it was called.
bool find_own_folder(char (&folder)[PATH_MAX]) {
    const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (length > 0) {
        folder[length] = '\0';
    } else {
        const auto* called = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
        if (called == nullptr || realpath(called, folder) == nullptr) return false;
    }
    *std::strrchr(folder, '/') = '\0';
    return true;
}

}  // namespace

bool find_library(const char* name, char* path, std::size_t capacity) {
    char folder[PATH_MAX];
    if (!find_own_folder(folder)) return false;
    static constexpr const char* kPlaces[] = {"/../lib/", "/"};
    for (const char* place : kPlaces) {
        char candidate[PATH_MAX + 64];
        std::snprintf(candidate, sizeof candidate, "%s%s%s", folder, place, name);
        char real[PATH_MAX];
        if (realpath(candidate, real) == nullptr || std::strlen(real) >= capacity) continue;
        std::strcpy(path, real);
        return true;
    }
    return false;
}

bool is_preloadable(const char* path) { return std::strpbrk(path, ": \t$") == nullptr; }

bool preload(const char* library) {
    const char* before = std::getenv("LD_PRELOAD");
    if (before == nullptr || *before == '\0') return setenv("LD_PRELOAD", library, 1) == 0;
    if (std::strstr(before, library) != nullptr) return true;
    char* both = nullptr;
    const bool done = asprintf(&both, "%s:%s", library, before) > 0 && setenv("LD_PRELOAD", both, 1) == 0;
    std::free(both);
    return done;
}

void forget_preloaded(const char* file) {
    const char* before = std::getenv("LD_PRELOAD");
    if (before == nullptr) return;
    std::string kept;
    std::size_t length = 0;
    for (const char* at = before; *at != '\0'; at += length + (at[length] != '\0' ? 1 : 0)) {
        length = std::strcspn(at, ": ");
        const std::string_view entry(at, length);
        if (length == 0 || entry.substr(entry.rfind('/') + 1) == file) continue;
        kept.append(kept.empty() ? "" : ":").append(entry);
    }
    if (kept.empty())
        unsetenv("LD_PRELOAD");
    else
        setenv("LD_PRELOAD", kept.c_str(), 1);
}

bool let_sanitizers_follow() {
    static constexpr const char* kName = "ASAN_OPTIONS";
    static constexpr const char* kOption = "verify_asan_link_order=0";
    const char* before = std::getenv(kName);
    if (before == nullptr || *before == '\0') return setenv(kName, kOption, 1) == 0;
    if (std::strstr(before, "verify_asan_link_order") != nullptr) return true;
    char* both = nullptr;
    const bool done = asprintf(&both, "%s:%s", before, kOption) > 0 && setenv(kName, both, 1) == 0;
    std::free(both);
    return done;
}

}  // namespace clearway::launcher
