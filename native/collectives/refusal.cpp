#include "collectives/refusal.hpp"

#include "collectives/buffers/block_list.hpp"
#include "collectives/buffers/packing.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/process_comm.hpp"

namespace clearway::collectives {

namespace {

using schedule::Operation;

bool has_many_counts(const Side& side) {
    return side.division == Division::counted || side.division == Division::typed;
}

std::uint32_t counts_in(const Side& side, std::uint32_t ranks) { return has_many_counts(side) ? ranks : 1; }

bool lacks_arrays(const Side& side) {
    return has_many_counts(side) &&
           (side.counts == 0 || side.displacements == 0 || (side.division == Division::typed && side.types == 0));
}

bool has_negative_count(const Side& side, std::uint32_t ranks) {
    for (std::uint32_t block = 0; block < counts_in(side, ranks); ++block)
        if (side.count_of(block) < 0) return true;
    return false;
}

// Open MPI looks at the types of an alltoallw's empty blocks, MPICH does not: the one that is here is asked, by a call
// with ourselves alone.
bool looks_at_empty_blocks() {
    static const bool looks = [] {
        using Function = int (*)(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);
        const auto alltoallw = reinterpret_cast<Function>(find_in_mpi("PMPI_Alltoallw"));
        const Arg self = comm_of_this_process();
        const int none = 0;
        char nothing[2] = {};
        Handle null_type(null_datatype()), byte(own_mpi()->byte);
        if (alltoallw == nullptr || self == 0) return true;
        return alltoallw(to_arg(nothing), to_arg(&none), to_arg(&none), null_type.address(), to_arg(nothing + 1),
                         to_arg(&none), to_arg(&none), byte.address(), self) != kMpiSuccess;
    }();
    return looks;
}

bool is_wrong_type(Arg type) {
    if (is_null_type(type)) return true;
    return !is_predefined_type(type) && !can_pack(type);
}

bool has_wrong_type(const Side& side, std::uint32_t ranks) {
    if (side.division != Division::typed) return is_wrong_type(side.type_of(0));
    Arg seen = 0;
    for (std::uint32_t block = 0; block < ranks; ++block) {
        const Arg type = side.type_of(block);
        if (type == seen) continue;
        const bool is_odd = is_null_type(type) || !is_predefined_type(type);
        if (is_odd && side.count_of(block) == 0 && !looks_at_empty_blocks()) continue;
        if (is_odd && is_wrong_type(type)) return true;
        seen = type;
    }
    return false;
}

// MPICH looks for buffers that are null; Open MPI fails where it reads or writes them, as we do. MPI_BOTTOM is null
// too, but then types tell addresses, which predefined ones do not.
bool lacks_memory(const Side& side, std::uint32_t ranks) {
    if (side.buffer != 0 || abi.abi == Abi::open_mpi) return false;
    for (std::uint32_t block = 0; block < counts_in(side, ranks); ++block)
        if (side.count_of(block) > 0 && begins_at_its_address(side.type_of(block))) return true;
    return false;
}

// What MPICH finds. Open MPI lets it pass.
bool is_aliased(const Call& call, std::uint32_t rank) {
    const Side &send = call.send, &receive = call.receive;
    if (abi.abi == Abi::open_mpi) return false;
    if (has_many_counts(send))
        return send.buffer == receive.buffer && send.counts == receive.counts &&
               (send.division == Division::typed ? send.types == receive.types
                                                 : as_handle(send.types) == as_handle(receive.types));
    if (as_handle(send.types) != as_handle(receive.types) || send.count_of(0) == 0) return false;
    const bool gathers = schedule::is_allgather(call.operation);
    const std::uint32_t own_block = gathers ? rank : 0;
    if (receive.count_of(own_block) != send.count_of(0)) return false;
    return send.buffer == (gathers ? address_of_block(receive, rank) : receive.buffer);
}

// What Open MPI finds. MPICH lets it pass: then messages are shorter than their room, or too long for it.
bool disagrees_with_itself(const Call& call, std::uint32_t rank) {
    if (abi.abi != Abi::open_mpi || schedule::is_allgather(call.operation)) return false;
    return bytes_of_block(call.send, rank) != bytes_of_block(call.receive, rank);
}

bool is_wrong(const Side& side, std::uint32_t ranks) {
    return lacks_arrays(side) || has_negative_count(side, ranks) || has_wrong_type(side, ranks) ||
           lacks_memory(side, ranks);
}

}  // namespace

bool is_refused(const Call& call, std::uint32_t rank, std::uint32_t ranks) {
    if (call.receive.is_in_place() || is_wrong(call.receive, ranks)) return true;
    if (call.send.is_in_place()) return false;
    return is_wrong(call.send, ranks) || is_aliased(call, rank) || disagrees_with_itself(call, rank);
}

}  // namespace clearway::collectives
