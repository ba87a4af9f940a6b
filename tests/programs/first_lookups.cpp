// Threads that make their first MPI calls at once: each asks mpi/abi.cpp what a wrapper asks at its first call. None
// may take the MPI's own function for that of a tool, or read what another has only half written (ThreadSanitizer).
#include <mpi.h>
#include <pthread.h>

#include <cstdio>

#include "mpi/abi.hpp"
#include "mpi/predefined.hpp"

namespace {

constexpr int kThreads = 8;
pthread_barrier_t start;

struct Answers {
    bool is_known, is_tool, is_predefined;
};

void* ask(void* data) {
    auto& answers = *static_cast<Answers*>(data);
    pthread_barrier_wait(&start);
    answers.is_tool = clearway::find_tool("MPI_Alltoall", reinterpret_cast<const void*>(ask)) != nullptr;
    clearway::detect_abi();
    answers.is_known = clearway::abi.abi != clearway::Abi::none;
    answers.is_predefined = clearway::is_predefined_type(clearway::predefined(clearway::kByte));
    return nullptr;
}

}  // namespace

int main() {
    int is_initialized = 0;
    MPI_Initialized(&is_initialized);  // without a call of it, the linker would leave the MPI out
    pthread_t threads[kThreads];
    Answers answers[kThreads] = {};
    pthread_barrier_init(&start, nullptr, kThreads);
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], nullptr, ask, &answers[i]);
    for (pthread_t thread : threads) pthread_join(thread, nullptr);
    int wrong = 0;
    for (const Answers& own : answers) wrong += !own.is_known || own.is_tool || !own.is_predefined;
    std::printf("%d of %d threads got a wrong answer\n", wrong, kThreads);
    return wrong != 0;
}
