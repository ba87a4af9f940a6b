// A program that ends, or is disturbed, in the way its first argument says.
#include <mpi.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

int rank = 0, size = 1;
volatile std::sig_atomic_t alarms = 0;

void count_alarm(int) { alarms = alarms + 1; }

void report_signal(int signal) {
    const char text[] = "its own handler ran\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(1);
    _exit(40 + signal);
}

void start(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

double exchange(int turns) {
    double sum = 0;
    for (int i = 0; i < turns; ++i) {
        double mine = rank + i / 3.0, all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
    }
    return sum;
}

void say(const char* what) {
    std::printf("rank %d of %d: %s\n", rank, size, what);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string ending = argc > 1 ? argv[1] : "";
    if (ending == "no_init") {
        say("never starts MPI");
        return 3;
    }
    start(&argc, &argv);
    const double sum = exchange(200);
    say(std::to_string(sum).c_str());
    if (ending == "finalize") {
        MPI_Finalize();
        say("works on after MPI_Finalize");
        return 0;
    }
    if (ending == "no_finalize") return 4;
    if (ending == "abort" && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (ending == "exit" && rank == size - 1) std::exit(5);
    if (ending == "_exit" && rank == size - 1) _exit(6);
    if (ending == "uncaught" && rank == size - 1) throw std::runtime_error("planted");
    if (ending == "segv" && rank == size - 1) std::raise(SIGSEGV);
    if (ending == "own_handler") {
        std::signal(SIGSEGV, report_signal);
        if (rank == size - 1) std::raise(SIGSEGV);
    }
    if (ending == "caught") {
        for (int i = 0; i < 100; ++i) {
            try {
                if (i % 2 == rank % 2) throw std::runtime_error("planted");
                exchange(0);
            } catch (const std::runtime_error& error) {
                if (std::string(error.what()) != "planted") return 9;
            }
        }
        exchange(10);
        say("caught all");
    }
    if (ending == "alarms") {
        struct sigaction action = {};
        action.sa_handler = count_alarm;
        sigaction(SIGALRM, &action, nullptr);
        const itimerval every = {{0, 1000}, {0, 1000}};
        setitimer(ITIMER_REAL, &every, nullptr);
        const double last = exchange(2000);
        const itimerval never = {};
        setitimer(ITIMER_REAL, &never, nullptr);
        say(std::to_string(last).c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
