// A program like molecular dynamics, whose step is made to order: computing, halo exchange, collective operations,
// files. Faults are planted around it, and it says what a step took.
#include "common_file.h"
#include "messages.h"
#include "scratch.h"

static void compute(const Settings* s, const Messages* m, int turn) {
    const double part = s->divided > 0 ? 1.0 / m->ranks : 1.0;
    double ms = s->compute_ms * part * (m->rank == (int)s->slow_rank ? s->slow_factor : 1.0);
    if (m->rank == turn) ms += s->turn_ms;
    if (ms > 0) compute_s(ms * 1e-3);
    if (s->sleep_ms > 0) compute_elsewhere_s(s->sleep_ms * part * 1e-3);
    if (s->late_sleep_ms > 0 && m->rank == (int)s->slow_rank) sleep_s(s->late_sleep_ms * 1e-3);
}

static void use_memory(const Settings* s) {
    const size_t bytes = (size_t)s->array_bytes;
    for (int i = 0; i < (int)s->arrays; ++i) {
        volatile char* array = malloc(bytes);
        must(array != NULL, "workload: memory");
        for (size_t at = 0; at < bytes; at += 4096) array[at] = 1;
        free((void*)array);
    }
}

static void sweep(const Settings* s, double* array) {
    const long count = (long)s->sweep_bytes / (long)sizeof *array;
    for (int turn = 0; turn < (int)s->sweeps; ++turn)
        for (long i = 0; i < count; ++i) array[i] = 0.5 * array[i] + 1.0;
}

int main(int argc, char** argv) {
    const Settings settings = read_settings(argc, argv);
    MPI_Init(&argc, &argv);
    Messages messages = open_messages(&settings);
    Scratch scratch = open_scratch(&settings, messages.rank);
    CommonFile common = open_common_file(&settings, messages.rank);
    double* array = calloc((size_t)settings.sweep_bytes + 1, 1);
    must(array != NULL, "workload: memory");
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now_s();
    for (int step = 0; step < (int)settings.steps; ++step) {
        compute(&settings, &messages, step % messages.ranks);
        use_memory(&settings);
        sweep(&settings, array);
        exchange_halos(&settings, &messages, step);
        run_collectives(&settings, &messages);
        use_files(&settings, &scratch);
        read_common_file(&settings, &common, messages.rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (messages.rank == 0)
        printf("%.0f steps on %d ranks: %.4f ms a step\n", settings.steps, messages.ranks,
               (now_s() - begin) * 1e3 / settings.steps);
    free(array);
    close_common_file(&common);
    close_scratch(&scratch);
    close_messages(&messages);
    MPI_Finalize();
    return 0;
}
