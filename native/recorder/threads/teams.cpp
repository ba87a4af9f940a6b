#include "recorder/threads/teams.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "recorder/thread.hpp"

namespace clearway::recorder {

constinit thread_local TeamState team_state [[gnu::tls_model("initial-exec")]] = {};
std::atomic<bool> runtime_tells{false};

TeamCell* add_team_cell(TeamState& state) {
    if (!recording) return nullptr;
    const int saved_errno = errno;
    const InRecorder inside;
    TeamCell fresh{};
    fresh.tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
    state.cell = process.teams.add(process.file, fresh);
    state.failed = state.cell == nullptr;
    errno = saved_errno;
    return state.cell;
}

}  // namespace clearway::recorder
