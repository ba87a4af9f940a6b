// MPI_Init and MPI_Finalize: where the record of an MPI process begins and ends.
#include "recorder/lifetime.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/mpi/record_calls.hpp"
#include "recorder/sampler.hpp"
#include "recorder/sockets/sockets.hpp"
#include "recorder/threads/thread_uses.hpp"

#include <algorithm>
#include <cstring>

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]

namespace clearway::recorder {

extern const std::uint16_t kMPI_Init, kMPI_Init_thread, kMPI_Session_init, kMPI_Finalize;

namespace {

template <class... Args>
[[gnu::always_inline]] inline int call_function(std::uint16_t id, Name name, Args... args) {
    return reinterpret_cast<int (*)(Args...)>(real_function(id, name))(args...);
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

// Two threads may be inside MPI at once. A tool may have asked for more than the program did.
bool allows_many_threads() {
    int provided = 0;
    return call_real("PMPI_Query_thread", &provided) == 0 && provided >= abi.thread_multiple;
}

// The MPI's own MPI_Init returned: from here on there are communicators, and calls are recorded. That may be before the
// program's call returns: a PMPI tool that stands between goes on to use MPI, by threads of its own, too.
void mpi_began() {
    static bool began = false;
    if (!recording || __atomic_exchange_n(&began, true, __ATOMIC_RELAXED)) return;
    many_threads = allows_many_threads();
    begin_comms();
    FileHeader* header = process.file.header();
    header->mpi_begin = now();
    header->state = State::running;
    note_library();
    heartbeat();
}

// An MPI that we cannot read, or a program's own stand-ins for MPI, which have no PMPI_ names.
int begin_unrecorded(int result) {
    if (find_in_mpi("PMPI_Init") != nullptr) warn_once("Clearway does not know this kind of MPI", 0);
    return result;
}

// Called inside another recorded call, that of the program: by a PMPI tool.
int begin_for_tool(int result) {
    if (result != 0 || abi.abi == Abi::none) return result;
    const InRecorder inside;
    mpi_began();
    return result;
}

template <class... Args>
[[gnu::always_inline]] inline int begin_mpi(std::uint16_t id, Name name, Args... args) {
    detect_abi();
    if (abi.abi == Abi::none) return begin_unrecorded(call_function(id, name, args...));
    begin_recording();
    ThreadState* thread = enter();
    if (thread == nullptr) return begin_for_tool(call_function(id, name, args...));
    if (!is_main(*thread)) become_main_thread(*thread);
    begin_events();
    before_mpi_starts();
    Call call(*thread, id);
    const int result = call_function(id, name, args...);
    call.leave();
    after_mpi_started();
    if (result == 0) mpi_began();
    record_plain(call, 0);
    store_event(event_of(call, EventKind::begun, {kNoComm, kPeerNone, 0, 0}, 0));
    return result;
}

// Sessions have no MPI_COMM_WORLD: the largest communicator made stands for it. Each may allow many threads.
[[gnu::always_inline]] inline int begin_session(Name name, Arg info, Arg errhandler, Arg session) {
    detect_abi();
    if (abi.abi == Abi::none)
        return begin_unrecorded(call_function(kMPI_Session_init, name, info, errhandler, session));
    begin_recording();
    ThreadState* thread = enter();
    if (thread == nullptr) return call_function(kMPI_Session_init, name, info, errhandler, session);
    many_threads = true;
    begin_events();
    Call call(*thread, kMPI_Session_init);
    const int result = call_function(kMPI_Session_init, name, info, errhandler, session);
    call.leave();
    record_plain(call, 0);
    process.file.header()->state = State::running;
    return result;
}

// Nothing of ours runs inside MPI_Finalize: what must be read while the MPI still lives is read before it.
[[gnu::always_inline]] inline int end_mpi(Name name) {
    ThreadState* thread = enter();
    if (thread == nullptr) return call_function(kMPI_Finalize, name);
    sample_sockets_now();
    FileHeader* header = process.file.header();
    header->mpi_end = now();
    heartbeat();
    Call call(*thread, kMPI_Finalize);
    const int result = call_function(kMPI_Finalize, name);
    call.leave();
    record_plain(call, 0);
    header->state = State::finalized;
    heartbeat();
    return result;
}

}  // namespace

CLEARWAY_EXPORT int MPI_Init(Arg argc, Arg argv) { return begin_mpi(kMPI_Init, Name::mpi, argc, argv); }
CLEARWAY_EXPORT int PMPI_Init(Arg argc, Arg argv) { return begin_mpi(kMPI_Init, Name::pmpi, argc, argv); }

CLEARWAY_EXPORT int MPI_Init_thread(Arg argc, Arg argv, Arg required, Arg provided) {
    return begin_mpi(kMPI_Init_thread, Name::mpi, argc, argv, required, provided);
}
CLEARWAY_EXPORT int PMPI_Init_thread(Arg argc, Arg argv, Arg required, Arg provided) {
    return begin_mpi(kMPI_Init_thread, Name::pmpi, argc, argv, required, provided);
}

CLEARWAY_EXPORT int MPI_Session_init(Arg info, Arg errhandler, Arg session) {
    return begin_session(Name::mpi, info, errhandler, session);
}
CLEARWAY_EXPORT int PMPI_Session_init(Arg info, Arg errhandler, Arg session) {
    return begin_session(Name::pmpi, info, errhandler, session);
}

CLEARWAY_EXPORT int MPI_Finalize() { return end_mpi(Name::mpi); }
CLEARWAY_EXPORT int PMPI_Finalize() { return end_mpi(Name::pmpi); }

}  // namespace clearway::recorder
