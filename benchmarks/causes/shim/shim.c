// Faults in a program that knows nothing of them: a library that is preloaded before it. CAUSES_PLANT has the settings
// of a skeleton, one a line. Here a step is so much time (compute=) in which the rank lost nothing; the faults of a
// step are planted when the rank comes to its next MPI call.
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../skeleton/faults.h"
#include "../skeleton/settings.h"
#include "../skeleton/truth.h"

enum { MOST_WORDS = 32 };

static Settings settings;
static Truth* truth;
static int rank, inside;
static double lost_s;

__attribute__((constructor)) static void begin(void) {
    const char* plant_here = getenv("CAUSES_PLANT");
    if (plant_here == NULL) return;
    static char copy[4 * WORD_BYTES];
    char *words[MOST_WORDS] = {"shim"}, *rest = NULL;
    int count = 1;
    snprintf(copy, sizeof copy, "%s", plant_here);
    for (char* word = strtok_r(copy, "\n", &rest); word != NULL && count < MOST_WORDS;
         word = strtok_r(NULL, "\n", &rest))
        words[count++] = word;
    unsetenv("CAUSES_PLANT");  // what the program starts has no part in it
    settings = read_settings(count, words);
    rank = rank_to_be();
    truth = open_truth(&settings, rank);
    for (int i = 0; i < settings.fault_count; ++i) plant_at_start(&settings.faults[i], rank);
}

static void plant_what_is_due(void) {
    if (inside || truth == NULL || truth->ready_s <= 0) return;
    inside = 1;
    for (double now = now_s(); truth->steps_done < settings.steps; now = now_s()) {
        const int step = (int)truth->steps_done;
        if (now - truth->ready_s - lost_s < (step + 1) * settings.compute_s) break;
        for (int i = 0; i < settings.fault_count; ++i) plant(&settings.faults[i], rank, 1, step);
        const double end = now_s();
        lost_s += end - now;
        truth->step_end_s[step] = end;
        truth->steps_done = step + 1;
    }
    inside = 0;
}

// Both names of a function: bindings of other languages call the second.
#define REAL(name, parameters)           \
    static int(*real) parameters = NULL; \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name)

#define HOOK(name, parameters, arguments) \
    int name parameters {                 \
        REAL(name, parameters);           \
        plant_what_is_due();              \
        return real arguments;            \
    }
#define BOTH(name, parameters, arguments)   \
    HOOK(MPI_##name, parameters, arguments) \
    HOOK(PMPI_##name, parameters, arguments)

BOTH(Barrier, (MPI_Comm c), (c))
BOTH(Bcast, (void* b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
BOTH(Allreduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c), (s, r, n, t, o, c))
BOTH(Reduce, (const void* s, void* r, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c), (s, r, n, t, o, root, c))
BOTH(Alltoall, (const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c),
     (s, n, t, r, m, u, c))
BOTH(Sendrecv,
     (const void* s, int n, MPI_Datatype t, int to, int tag, void* r, int m, MPI_Datatype u, int from, int its,
      MPI_Comm c, MPI_Status* status),
     (s, n, t, to, tag, r, m, u, from, its, c, status))
BOTH(Send, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), (b, n, t, to, tag, c))
BOTH(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
BOTH(Waitall, (int n, MPI_Request* requests, MPI_Status* statuses), (n, requests, statuses))

static int begun(int result) {
    if (truth != NULL && truth->ready_s <= 0) truth->ready_s = now_s();
    return result;
}

static int ended(int result) {
    if (truth != NULL) truth->end_s = now_s();
    return result;
}

#define AFTER(name, parameters, arguments, then) \
    int name parameters {                        \
        REAL(name, parameters);                  \
        return then(real arguments);             \
    }
AFTER(MPI_Init, (int* n, char*** words), (n, words), begun)
AFTER(PMPI_Init, (int* n, char*** words), (n, words), begun)
AFTER(MPI_Init_thread, (int* n, char*** words, int wanted, int* given), (n, words, wanted, given), begun)
AFTER(PMPI_Init_thread, (int* n, char*** words, int wanted, int* given), (n, words, wanted, given), begun)
AFTER(MPI_Finalize, (void), (), ended)
AFTER(PMPI_Finalize, (void), (), ended)
