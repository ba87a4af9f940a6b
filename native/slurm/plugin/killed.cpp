#include "slurm/plugin/killed.hpp"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>

namespace clearway::slurm {
namespace {

constexpr int kBySignal = 128, kMostSignal = 64;
constexpr size_t kMostOfOne_bytes = 40;

// A shell around a program ends with 128 and the signal's number.
int signal_in(int status) {
    if (WIFSIGNALED(status)) return WTERMSIG(status);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return code > kBySignal && code <= kBySignal + kMostSignal ? code - kBySignal : 0;
}

}  // namespace

void note_signal(spank_t spank, bool is_rank, Killed& killed) {
    int status = 0;
    pid_t pid = 0;
    uint32_t rank = 0;
    if (spank_get_item(spank, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_TASK_PID, &pid) != ESPANK_SUCCESS)
        return;
    const int signal = signal_in(status);
    const size_t length = strlen(killed.text);
    if (signal <= 0 || length + kMostOfOne_bytes > sizeof killed.text) return;
    const bool known = is_rank && spank_get_item(spank, S_TASK_GLOBAL_ID, &rank) == ESPANK_SUCCESS;
    snprintf(killed.text + length, sizeof killed.text - length, "%d:%d:%d,", known ? static_cast<int>(rank) : -1, pid,
             signal);
}

}  // namespace clearway::slurm
