#include "recorder/mpi/phase.hpp"

#include "mpi/abi.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/process.hpp"

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]

namespace clearway::recorder {

extern const std::uint16_t kMPI_Pcontrol;

std::int32_t program_phase = 0;
std::uint32_t program_phases = 0;

// It takes any number of arguments, which mean something to tools only. Those that come in registers are handed on,
// whatever they are: on x86-64 and aarch64 a function of variable arguments gets its first ones where any other does.
CLEARWAY_EXPORT int MPI_Pcontrol(int level, Arg a, Arg b, Arg c, Arg d, Arg e) {
    if (recording) {
        __atomic_store_n(&program_phase, level, __ATOMIC_RELAXED);
        __atomic_fetch_add(&program_phases, 1, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<int (*)(int, ...)>(real_function(kMPI_Pcontrol, Name::mpi))(level, a, b, c, d, e);
}

}  // namespace clearway::recorder
