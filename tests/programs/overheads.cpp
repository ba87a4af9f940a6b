// Work that only serves a computation, by name: overheads KIND SECONDS. Each round does it as often as it takes to be
// seen, and a sum that depends on it; "sound" only computes.
#include <dlfcn.h>
#include <mpi.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

double sum = 0;  // of everything: nothing is left out by a compiler
std::mutex mutex;
std::atomic<long> counter{0};

double compute(int times) {
    double value = 0;
    for (int i = 0; i < times; ++i) value += std::sqrt(value + i);
    return value;
}

[[gnu::noinline]] double checked(int i) {
    if (i % 2 == 0) throw std::out_of_range("no such atom");
    return i;
}

void clocks(int i) {
    sum += MPI_Wtime() * 1e-9;
    if (i % 8 == 0) sum += compute(20);
}

void allocation(int i) {
    const std::vector<double> fresh(static_cast<std::size_t>(4 + i % 40), 1.0);
    sum += fresh[static_cast<std::size_t>(i % 4)];
}

void exceptions(int i) {
    try {
        sum += checked(i);
    } catch (const std::exception&) {
        sum += 1;
    }
}

void loops(int) {
    double total = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : total)
    for (int k = 0; k < 1000000; ++k) total += k * 1e-3;
    sum += total;
}

void locks(int i) {
    const std::lock_guard<std::mutex> held(mutex);
    sum += i;
}

void atomics(int) {
    double total = 0;
#pragma omp parallel for
    for (int k = 0; k < 1000000; ++k) {
#pragma omp atomic
        total += k * 1e-3;
    }
    sum += total + static_cast<double>(counter.fetch_add(1));
}

void soft_numbers(int i) {
    volatile __float128 value = i;
    value = value * 1.5 + 2;
    sum += static_cast<double>(value);
}

void complex_numbers(int i) {
    static std::complex<double> value{1.0, 0.5};
    const std::complex<double> turn{std::cos(1e-3), std::sin(1e-3)};
    for (int k = 0; k < 8; ++k) value = value / turn;
    sum += value.real() + i;
}

void environment(int) { sum += std::getenv("CLEARWAY_NO_SUCH_VARIABLE") == nullptr ? 1 : 0; }

void random_numbers(int) { sum += std::rand() * 1e-9; }

void text(int i) {
    char line[64];
    std::snprintf(line, sizeof line, "%.8f %.8f", i * 0.37, sum);
    sum += std::strtod(line, nullptr);
}

void loading(int) { sum += dlsym(RTLD_DEFAULT, "no_such_function_anywhere") == nullptr ? 1 : 0; }

void sound(int) { sum += compute(50); }

struct Kind {
    const char* name;
    void (*work)(int);
};
constexpr Kind kKinds[] = {{"clock", clocks},
                           {"allocation", allocation},
                           {"exceptions", exceptions},
                           {"handing-out", loops},
                           {"locks", locks},
                           {"atomics", atomics},
                           {"soft-numbers", soft_numbers},
                           {"complex-numbers", complex_numbers},
                           {"environment", environment},
                           {"random-numbers", random_numbers},
                           {"text", text},
                           {"loading", loading},
                           {"sound", sound}};

}  // namespace

int main(int count, char** arguments) {
    MPI_Init(&count, &arguments);
    void (*work)(int) = nullptr;
    for (const Kind& kind : kKinds)
        if (count > 2 && std::strcmp(arguments[1], kind.name) == 0) work = kind.work;
    if (work == nullptr) return std::fputs("usage: overheads KIND SECONDS\n", stderr), MPI_Abort(MPI_COMM_WORLD, 2);
    const double seconds = std::atof(arguments[2]);
    const double begin = MPI_Wtime();
    int go_on = 1;
    while (go_on != 0) {
        const double round = MPI_Wtime();
        for (int i = 0; MPI_Wtime() < round + 0.02;)
            for (int k = 0; k < (work == loops || work == atomics ? 1 : 500); ++k, ++i) work(i);
        go_on = MPI_Wtime() < begin + seconds ? 1 : 0;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    double all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all == 0 ? 1 : 0;
}
