// What a step of the workload consists of, as said on the command line. Whatever is zero is left out.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double steps;
    double compute_ms;        // CPU time of each rank
    double sleep_ms;          // instead of, or besides: as if a device computed
    double slow_rank;         // this one computes ...
    double slow_factor;       // ... so many times as long; 1: all alike
    double late_sleep_ms;     // and this long that one sleeps besides
    double divided;           // 1: computing and sleeping are those of all ranks together
    double turn_ms;           // CPU time more, of another rank each step
    double arrays;            // taken from the C library, written and given back one after the other
    double array_bytes;       // each
    double sweeps;            // over an array of its own, which is read and written from begin to end
    double sweep_bytes;       // its size
    double halo_bytes;        // in each message to each of both neighbours
    double halo_messages;     // one after the other
    double poll;              // 1: halos are waited for by MPI_Iprobe
    double poll_pause_us;     // asleep between two of them
    double alltoall_bytes;    // from each rank to each
    double allgatherv_bytes;  // of each rank
    double allreduce_bytes;
    double write_bytes;     // into the rank's scratch file, over what is there
    double syncs;           // the writing is divided into so many parts, an fsync behind each
    double past_cache;      // 1: the page cache forgets the scratch file before each reading
    double read_bytes;      // of the scratch file
    double mpi_read_bytes;  // by each rank from a file of all ranks through MPI-IO, past the page cache
    double opens;           // small files made, opened, asked for their size and deleted
    const char* scratch;    // folder of those files
} Settings;

typedef struct {
    const char* name;
    double* number;
} Option;

static inline Settings read_settings(int count, char** words) {
    Settings s = {.steps = 100, .slow_factor = 1, .halo_messages = 1, .scratch = "."};
    const Option options[] = {
        {"--steps", &s.steps},
        {"--compute-ms", &s.compute_ms},
        {"--sleep-ms", &s.sleep_ms},
        {"--slow-rank", &s.slow_rank},
        {"--slow-factor", &s.slow_factor},
        {"--late-sleep-ms", &s.late_sleep_ms},
        {"--divided", &s.divided},
        {"--turn-ms", &s.turn_ms},
        {"--arrays", &s.arrays},
        {"--array", &s.array_bytes},
        {"--sweeps", &s.sweeps},
        {"--sweep", &s.sweep_bytes},
        {"--halo", &s.halo_bytes},
        {"--halo-messages", &s.halo_messages},
        {"--poll", &s.poll},
        {"--poll-pause-us", &s.poll_pause_us},
        {"--alltoall", &s.alltoall_bytes},
        {"--allgatherv", &s.allgatherv_bytes},
        {"--allreduce", &s.allreduce_bytes},
        {"--write", &s.write_bytes},
        {"--syncs", &s.syncs},
        {"--read", &s.read_bytes},
        {"--past-cache", &s.past_cache},
        {"--opens", &s.opens},
        {"--mpi-read", &s.mpi_read_bytes},
    };
    for (int i = 1; i < count; i += 2) {
        const char* value = i + 1 < count ? words[i + 1] : "";
        if (strcmp(words[i], "--scratch") == 0) {
            s.scratch = value;
            continue;
        }
        double* number = NULL;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; ++k)
            if (strcmp(words[i], options[k].name) == 0) number = options[k].number;
        char* end = NULL;
        const double read = strtod(value, &end);
        if (number == NULL || end == value || *end != '\0' || read < 0) {
            fprintf(stderr, "error: workload: '%s %s' is no option and its value\n", words[i], value);
            exit(2);
        }
        *number = read;
    }
    return s;
}
