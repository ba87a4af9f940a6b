#include "collectives/buffers/packing.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/own_mpi.hpp"

namespace clearway {

namespace {

// MPI_Pack counts in int: a large block goes through it in slices.
constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 30;

// MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm)
using PackFunction = int (*)(Arg from, Arg count, Arg type, Arg into, Arg room, Arg position, Arg comm);
// MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm)
using UnpackFunction = int (*)(Arg from, Arg room, Arg position, Arg into, Arg count, Arg type, Arg comm);

// `elements_at_once` of one type that do not overflow an int, in number or in bytes.
std::int64_t elements_at_once(const TypeShape& shape) {
    return static_cast<std::int64_t>(std::max<std::uint64_t>(1, kSliceBytes / std::max<std::uint64_t>(1, shape.bytes)));
}

// Calls move(address, count, offset, bytes) for one slice after another, while it returns MPI_SUCCESS.
template <class Move>
int each_slice(const TypedBlock& block, Move move) {
    const std::int64_t most = elements_at_once(block.shape);
    std::uint64_t offset = 0;
    for (std::int64_t done = 0; done < block.count; done += most) {
        const std::int64_t count = std::min(most, block.count - done);
        const std::uint64_t bytes = static_cast<std::uint64_t>(count) * block.shape.bytes;
        const int code = move(to_arg(block.address) + done * block.shape.extent, count, offset, bytes);
        if (code != kMpiSuccess) return code;
        offset += bytes;
    }
    return kMpiSuccess;
}

}  // namespace

int pack(const TypedBlock& block, std::byte* into, Arg comm) {
    static const auto mpi_pack = reinterpret_cast<PackFunction>(find_in_mpi("PMPI_Pack"));
    if (block.bytes() == 0) return kMpiSuccess;
    if (block.shape.is_plain) {
        std::memcpy(into, block.address, block.bytes());
        return kMpiSuccess;
    }
    return each_slice(block, [&](Arg address, std::int64_t count, std::uint64_t offset, std::uint64_t bytes) {
        int position = 0;
        return mpi_pack(address, count, block.shape.type, to_arg(into + offset), static_cast<Arg>(bytes),
                        to_arg(&position), comm);
    });
}

int unpack(const std::byte* from, const TypedBlock& block, Arg comm) {
    static const auto mpi_unpack = reinterpret_cast<UnpackFunction>(find_in_mpi("PMPI_Unpack"));
    if (block.bytes() == 0) return kMpiSuccess;
    if (block.shape.is_plain) {
        std::memcpy(block.address, from, block.bytes());
        return kMpiSuccess;
    }
    return each_slice(block, [&](Arg address, std::int64_t count, std::uint64_t offset, std::uint64_t bytes) {
        int position = 0;
        return mpi_unpack(to_arg(from + offset), static_cast<Arg>(bytes), to_arg(&position), address, count,
                          block.shape.type, comm);
    });
}

}  // namespace clearway
