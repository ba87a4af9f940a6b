#include "launcher/flow.hpp"

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "launcher/libraries.hpp"
#include "socket_options/settings.hpp"

namespace clearway::launcher {

namespace {

// The program may change its directory before the table is read.
bool export_path(const char* name, const char* path) {
    char absolute[PATH_MAX];
    return setenv(name, realpath(path, absolute) != nullptr ? absolute : path, 1) == 0;
}

}  // namespace

bool wants_flow(const Options& options) {
    const char* said = std::getenv("CLEARWAY_FLOW");
    return options.flow || (said != nullptr && std::strcmp(said, "on") == 0);
}

const char* wrong_socket_options() {
    const char* text = std::getenv("CLEARWAY_FLOW_SOCKETS");
    socket_options::SocketSettings settings;
    return text == nullptr || socket_options::parse_socket_settings(text, settings) ? nullptr : text;
}

const char* set_up_flow(const Options& options) {
    char library[PATH_MAX];
    if (!find_library("libclearway-flow.so", library, sizeof library))
        return "cannot find libclearway-flow.so, neither beside clearway-record nor in ../lib";
    if (!is_preloadable(library)) return "Clearway is installed under a path that LD_PRELOAD cannot hold";
    const bool done =
        setenv("CLEARWAY_FLOW", "on", 1) == 0 &&
        (options.flow_table == nullptr || export_path("CLEARWAY_FLOW_TABLE", options.flow_table)) &&
        (options.flow_algorithm == nullptr || setenv("CLEARWAY_FLOW_ALGORITHM", options.flow_algorithm, 1) == 0) &&
        preload(library);
    return done ? nullptr : std::strerror(errno);
}

}  // namespace clearway::launcher
