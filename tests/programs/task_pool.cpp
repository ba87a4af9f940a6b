// Threads of Intel's Threading Building Blocks, by its own call and by C++'s parallel algorithms.
//   task_pool KIND STEPS STEP_S
#include <mpi.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <execution>
#include <vector>

#include "planted.h"

static std::atomic<long> done;

static double process_cpu_s() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    int rank = 0;
    const int steps = atoi(argv[2]);
    const double share_s = atof(argv[3]) / 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    const double before_s = process_cpu_s();
    std::vector<int> pieces(8);
    for (int step = 0; step < steps; ++step) {
        const auto work = [share_s](int&) {
            compute_s(share_s);
            ++done;
        };
        if (std::strcmp(argv[1], "tbb") == 0)
            tbb::parallel_for(0, 8, [&](int i) { work(pieces[static_cast<std::size_t>(i)]); });
        else
            std::for_each(std::execution::par, pieces.begin(), pieces.end(), work);
    }
    const double computed_s = process_cpu_s() - before_s;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d: %ld\n", rank, done.load());
    fflush(stdout);
    FILE* facts = facts_open(rank);
    fact(facts, "cpu_s", computed_s);
    facts_close(facts);
    MPI_Finalize();
    return 0;
}
