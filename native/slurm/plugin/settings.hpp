// What the site says in plugstack.conf, and the user with --clearway.
#pragma once

extern "C" {
#include <slurm/spank.h>
}

namespace clearway::slurm {

struct Settings {
    const char* spool;
    const char* folder;
    const char* partitions;  // null: all
    bool wanted;
};

extern Settings settings;  // one job step, one process

// One word of plugstack.conf's line.
void read_setting(const char* text);

// --clearway=on|off, of srun and sbatch.
void register_option(spank_t spank);

// Whether the jobs of this one's partition are recorded.
bool in_partition(spank_t spank);

// In slurmd's log; while tasks start, on the user's standard error instead.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...);

}  // namespace clearway::slurm
