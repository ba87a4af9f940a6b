// MPI_Init and MPI_Finalize: where the record of an MPI process begins and ends.
#include "recorder/lifetime.hpp"
#include "recorder/mpi/account.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/sampler.hpp"
#include "recorder/sockets/sockets.hpp"

#include <algorithm>
#include <cstring>

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]

namespace clearway {

extern const std::uint16_t kMPI_Init, kMPI_Init_thread, kMPI_Session_init, kMPI_Finalize;

namespace {

template <class... Args>
int call_function(std::uint16_t id, Args... args) {
    void* found = real_functions[id] != nullptr ? real_functions[id] : resolve_function(id);
    return reinterpret_cast<int (*)(Args...)>(found)(args...);
}

// MPICH says on a line of its own by what messages go: "MPICH Device:    ch4:ucx".
void note_device(const char* library) {
    constexpr char kLabel[] = "\nMPICH Device:";
    const char* device = std::strstr(library, kLabel);
    if (device == nullptr) return;
    device += sizeof kLabel - 1;
    device += std::strspn(device, " \t");
    char text[sizeof Fact::text] = "";
    std::memcpy(text, device, std::min(std::strcspn(device, "\n"), sizeof text - 1));
    add_fact("mpi.device", text);
}

void note_library() {
    char text[8192] = "";
    int length = 0;
    call_real("PMPI_Get_library_version", text, &length);
    text[sizeof text - 1] = '\0';
    note_device(text);
    text[std::strcspn(text, "\n")] = '\0';
    add_fact("mpi.library", text);
}

// MPI_Init returned: from here on there are communicators, and calls are recorded.
void mpi_began() {
    begin_comms();
    FileHeader* header = process.file.header();
    header->mpi_begin = now();
    header->state = State::running;
    note_library();
    heartbeat();
}

template <class... Args>
int begin_mpi(std::uint16_t id, bool multiple_allowed, const int* provided, Args... args) {
    begin_recording();
    detect_abi();
    ThreadState* thread = abi.abi != Abi::none ? enter() : nullptr;
    if (thread == nullptr) {
        if (recording && abi.abi == Abi::none) warn_once("this MPI is of a kind that is not known", 0);
        return call_function(id, args...);
    }
    if (!thread->is_main) become_main_thread(*thread);
    begin_events();
    Call call(*thread, id);
    const int result = call_function(id, args...);
    call.leave();
    if (result == 0) {
        many_threads = multiple_allowed && *provided >= abi.thread_multiple;
        mpi_began();
    }
    account_plain(call, 0);
    return result;
}

}  // namespace

CLEARWAY_EXPORT int MPI_Init(Arg argc, Arg argv) { return begin_mpi(kMPI_Init, false, nullptr, argc, argv); }
CLEARWAY_EXPORT int PMPI_Init(Arg argc, Arg argv) __attribute__((alias("MPI_Init")));

CLEARWAY_EXPORT int MPI_Init_thread(Arg argc, Arg argv, Arg required, Arg provided) {
    return begin_mpi(kMPI_Init_thread, true, reinterpret_cast<const int*>(provided), argc, argv, required, provided);
}
CLEARWAY_EXPORT int PMPI_Init_thread(Arg argc, Arg argv, Arg required, Arg provided)
    __attribute__((alias("MPI_Init_thread")));

// Sessions have no MPI_COMM_WORLD: the first communicator made stands for it.
CLEARWAY_EXPORT int MPI_Session_init(Arg info, Arg errhandler, Arg session) {
    begin_recording();
    detect_abi();
    ThreadState* thread = abi.abi != Abi::none ? enter() : nullptr;
    if (thread == nullptr) return call_function(kMPI_Session_init, info, errhandler, session);
    begin_events();
    Call call(*thread, kMPI_Session_init);
    const int result = call_function(kMPI_Session_init, info, errhandler, session);
    call.leave();
    account_plain(call, 0);
    process.file.header()->state = State::running;
    return result;
}
CLEARWAY_EXPORT int PMPI_Session_init(Arg info, Arg errhandler, Arg session) __attribute__((alias("MPI_Session_init")));

// Nothing of ours runs inside MPI_Finalize: what must be read while the MPI still lives is read before it.
CLEARWAY_EXPORT int MPI_Finalize() {
    ThreadState* thread = enter();
    if (thread == nullptr) return call_function(kMPI_Finalize);
    ++thread->io_depth;
    sample_sockets_now();
    --thread->io_depth;
    FileHeader* header = process.file.header();
    header->mpi_end = now();
    heartbeat();
    Call call(*thread, kMPI_Finalize);
    const int result = call_function(kMPI_Finalize);
    call.leave();
    account_plain(call, 0);
    header->state = State::finalized;
    heartbeat();
    return result;
}
CLEARWAY_EXPORT int PMPI_Finalize() __attribute__((alias("MPI_Finalize")));

}  // namespace clearway
