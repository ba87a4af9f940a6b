// One library for every MPI.
//
// An MPI function's arguments are integers and pointers only, and both of the calling conventions we build for
// pass each of them in a register or stack slot of its own. A wrapper that takes them all as `Arg` therefore
// hands them on to any MPI unchanged. What differs between the MPIs, the values of constants and the layout of
// MPI_Status, is looked up here, once, from the MPI that the process really uses.
#pragma once

#include <cstdint>

namespace clearway {

using Arg = std::intptr_t;

// An `int` argument: the upper half of its register holds anything.
inline int as_int(Arg value) { return static_cast<int>(value); }

enum class Abi : std::uint8_t { none, open_mpi, mpich, standard };

struct AbiConstants {
    Abi abi;
    int any_source, any_tag, proc_null, root;
    Arg in_place;
    Arg status_ignore;
    int status_bytes, status_source, status_tag;  // offsets of int fields
    int thread_multiple;
    int cartesian, graph, distributed_graph;  // MPI_Topo_test
};

extern AbiConstants abi [[gnu::visibility("hidden")]];

// Address of a function of the real MPI; null where it has none.
void* find_in_mpi(const char* symbol);

// Whether the MPI itself has it. True where it is not known which library that is.
bool mpi_has(const char* symbol);

// The function to which a program's call of `symbol` (MPI_…) goes on behind the library that we are part of: that of a
// PMPI tool, or of another library of ours. Null where the next in the search order is the MPI itself. `caller`, an
// address in the code that called, tells whose scope counts where the MPI was loaded into one of its own.
void* find_tool(const char* symbol, const void* caller);

// Address of an object that the MPI exports, such as ompi_mpi_byte; 0 where it has none.
Arg find_object(const char* symbol);

inline Arg to_arg(const void* pointer) { return reinterpret_cast<Arg>(pointer); }
inline Arg to_arg(Arg value) { return value; }

// Calls a function of the real MPI that makes no request of other processes. -1 where it has none.
template <class... Args>
int call_real(const char* symbol, Args... args) {
    void* found = find_in_mpi(symbol);
    if (found == nullptr) return -1;
    return reinterpret_cast<int (*)(decltype(to_arg(args))...)>(found)(to_arg(args)...);
}

// Finds out which MPI this is. Called before the first recorded call.
void detect_abi();

// Handles are 32-bit integers in MPICH's ABI, pointers in the others.
inline Arg as_handle(Arg value) {
    return abi.abi == Abi::mpich ? static_cast<Arg>(static_cast<std::int32_t>(value)) : value;
}
// 0 for no array at all: an error that the MPI itself may tell the program of.
inline Arg handle_at(Arg array, std::size_t index) {
    if (array == 0) [[unlikely]]
        return 0;
    if (abi.abi == Abi::mpich) return reinterpret_cast<const std::int32_t*>(array)[index];
    return reinterpret_cast<const Arg*>(array)[index];
}

Arg comm_world();
Arg comm_self();
bool is_null_comm(Arg comm);

// Of a type that MPI itself brings; a derived one's handle may be freed and come back as another type.
bool is_predefined_type(Arg datatype);
Arg null_datatype();
bool is_null_type(Arg datatype);

inline constexpr int kMaxStatusBytes = 32;
int status_source(Arg status);
int status_tag(Arg status);
int status_error(Arg status);  // MPI_ERROR follows MPI_TAG in all of them
std::uint64_t status_bytes_received(Arg status);
bool status_cancelled(Arg status);

// Sizes of predefined datatypes never change, so the last one is remembered.
struct KnownType {
    Arg datatype;
    std::uint64_t bytes;
};
extern constinit thread_local KnownType last_type [[gnu::tls_model("initial-exec")]];
std::uint64_t look_up_type(Arg datatype);

// Size in bytes of one element of a datatype; 0 when it has none.
inline std::uint64_t type_bytes(Arg datatype) {
    return datatype == last_type.datatype ? last_type.bytes : look_up_type(datatype);
}

}  // namespace clearway
