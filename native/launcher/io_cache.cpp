#include "launcher/io_cache.hpp"

#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/clock.hpp"
#include "io_cache/files/budget.hpp"
#include "launcher/job_identity.hpp"
#include "launcher/libraries.hpp"
#include "units/units.hpp"

namespace clearway::launcher {

namespace {

const char* said_in_environment() {
    const char* size = std::getenv("CLEARWAY_IO_CACHE");
    return size != nullptr && *size != '\0' && std::strcmp(size, "off") != 0 ? size : nullptr;
}

// Files that are older were there before the job. The clock that file systems stamp them with never runs ahead of this
// one. Programs that this one starts keep the job's.
bool export_beginning() {
    char text[32];
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(clock_ns(CLOCK_REALTIME)));
    return setenv("CLEARWAY_IO_CACHE_SINCE_NS", text, 0) == 0;
}

}  // namespace

bool wants_io_cache(const Options& options) { return options.io_cache != nullptr || said_in_environment() != nullptr; }

bool is_io_cache_size(const char* size) {
    std::uint64_t bytes = 0;
    return io_cache::parse_budget(size, bytes);
}

const char* wrong_io_cache(const Options& options) {
    const char* size = options.io_cache == nullptr ? said_in_environment() : nullptr;
    return size != nullptr && !is_io_cache_size(size) ? size : nullptr;
}

void say_size_is_decimal(const Options& options) {
    const char* text = options.io_cache != nullptr ? options.io_cache : said_in_environment();
    const std::string_view size = io_cache::size_in(text);
    if (!units::bytes_as_binary(size) || !speaks_for_job()) return;
    const std::uint64_t bytes = units::parse_bytes(size).value_or(0);
    const int length = static_cast<int>(size.size()), figure = static_cast<int>(size.find_last_of("kKmMgGtT")) + 1;
    std::fprintf(stderr,
                 "clearway-record: warning: --io-cache: %.*s now means %" PRIu64
                 " bytes, because k, M, G and T are powers of 1000; write %.*si for powers of 1024, or %" PRIu64 "\n",
                 length, text, bytes, figure, text, bytes);
}

const char* set_up_io_cache(const Options& options) {
    const char* size = options.io_cache != nullptr ? options.io_cache : said_in_environment();
    char library[PATH_MAX];
    if (!find_library("libclearway-io.so", library, sizeof library))
        return "cannot find libclearway-io.so, neither beside clearway-record nor in ../lib";
    if (!is_preloadable(library)) return "Clearway is installed under a path that LD_PRELOAD cannot hold";
    const char* files = options.io_cache_files;
    const bool done = setenv("CLEARWAY_IO_CACHE", size, 1) == 0 &&
                      (files == nullptr || setenv("CLEARWAY_IO_CACHE_FILES", files, 1) == 0) && export_beginning() &&
                      preload(library);
    return done ? nullptr : std::strerror(errno);
}

}  // namespace clearway::launcher
