#include "bench/collective_call.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "base/pattern.hpp"
#include "mpi/loaded.hpp"

namespace clearway::bench {

namespace {

using schedule::Operation;

struct Timed {
    Operation operation;
    const char* mpi_name;
};

constexpr Timed kTimed[] = {
    {Operation::alltoall, "MPI_Alltoall"},     {Operation::alltoallv, "MPI_Alltoallv"},
    {Operation::alltoallw, "MPI_Alltoallw"},   {Operation::allgather, "MPI_Allgather"},
    {Operation::allgatherv, "MPI_Allgatherv"},
};

std::uint64_t seed_of(std::uint32_t sender, std::uint32_t receiver) { return mix(mix(sender) + receiver); }

}  // namespace

const char* mpi_name_of(Operation operation) {
    for (const Timed& each : kTimed)
        if (each.operation == operation) return each.mpi_name;
    return nullptr;
}

bool to_operation(std::string_view name, Operation& operation) {
    for (const Timed& each : kTimed) {
        if (name_of(each.operation) != name) continue;
        operation = each.operation;
        return true;
    }
    return false;
}

bool CollectiveCall::fits(std::uint32_t ranks, std::uint64_t block_bytes) { return block_bytes <= INT_MAX / ranks; }

CollectiveCall::CollectiveCall(Operation operation, std::uint32_t rank, std::uint32_t ranks, std::uint64_t block_bytes)
    : operation_(operation),
      rank_(rank),
      ranks_(ranks),
      block_bytes_(block_bytes),
      send_(is_allgather(operation) ? block_bytes : ranks * block_bytes),
      receive_(ranks * block_bytes),
      counts_(ranks, static_cast<int>(block_bytes)),
      displacements_(ranks),
      types_(ranks, predefined(kByte)),
      narrow_types_(ranks, static_cast<std::int32_t>(predefined(kByte))) {
    for (std::uint32_t block = 0; block < ranks; ++block) displacements_[block] = static_cast<int>(block * block_bytes);
    const std::uint32_t blocks = is_allgather(operation) ? 1 : ranks;
    for (std::uint32_t block = 0; block < blocks; ++block)
        fill_pattern(seed_of(rank, block), send_.data() + block * block_bytes, block_bytes);
}

int CollectiveCall::run(void* function) {
    const Arg comm = comm_world(), byte = predefined(kByte), count = static_cast<Arg>(block_bytes_);
    const Arg counts = to_arg(counts_.data()), displacements = to_arg(displacements_.data());
    switch (operation_) {
        case Operation::alltoall:
        case Operation::allgather:
            return invoke(function, send_.data(), count, byte, receive_.data(), count, byte, comm);
        case Operation::alltoallv:
            return invoke(function, send_.data(), counts, displacements, byte, receive_.data(), counts, displacements,
                          byte, comm);
        case Operation::allgatherv:
            return invoke(function, send_.data(), count, byte, receive_.data(), counts, displacements, byte, comm);
        default:
            break;  // alltoallw
    }
    const Arg types = abi.abi == Abi::mpich ? to_arg(narrow_types_.data()) : to_arg(types_.data());
    return invoke(function, send_.data(), counts, displacements, types, receive_.data(), counts, displacements, types,
                  comm);
}

void CollectiveCall::forget_received() { std::fill(receive_.begin(), receive_.end(), std::byte{0}); }

bool CollectiveCall::all_received() const {
    const std::uint32_t receiver = is_allgather(operation_) ? 0 : rank_;
    for (std::uint32_t sender = 0; sender < ranks_; ++sender)
        if (first_wrong(seed_of(sender, receiver), receive_.data() + sender * block_bytes_, block_bytes_) !=
            block_bytes_)
            return false;
    return true;
}

}  // namespace clearway::bench
