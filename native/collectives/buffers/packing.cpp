#include "collectives/buffers/packing.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/buffers/self_message.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/process_comm.hpp"

namespace clearway::collectives {

namespace {

// MPI_Pack counts in int: a large block goes through it in slices, and an element that is larger than this does not.
constexpr std::uint64_t kSliceBytes = std::uint64_t{1} << 30;

// MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm)
using PackFunction = int (*)(Arg from, Arg count, Arg type, Arg into, Arg room, Arg position, Arg comm);
// MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm)
using UnpackFunction = int (*)(Arg from, Arg room, Arg position, Arg into, Arg count, Arg type, Arg comm);
// MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype)
using MakeTypeFunction = int (*)(Arg count, Arg lengths, Arg displacements, Arg type, Arg new_type);
using TypeFunction = int (*)(Arg type);

// The slice behind another address. MPI_BOTTOM is null, and MPICH packs nothing from there, nor unpacks.
class MovedSlice {
public:
    MovedSlice(const Slice& slice, const std::byte* to) : slice_(slice) {
        static const auto make = reinterpret_cast<MakeTypeFunction>(find_in_mpi("PMPI_Type_create_hindexed"));
        static const auto commit = reinterpret_cast<TypeFunction>(find_in_mpi("PMPI_Type_commit"));
        if (slice.address != 0) return;
        const int length = static_cast<int>(slice.count);
        const Arg displacement = -to_arg(to);
        code_ = make(1, to_arg(&length), to_arg(&displacement), slice.type, type_.address());
        if (code_ != kMpiSuccess) return;
        commit(type_.address());
        slice_ = {to_arg(to), 1, type_.get()};
        is_made_ = true;
    }
    ~MovedSlice() {
        static const auto free = reinterpret_cast<TypeFunction>(find_in_mpi("PMPI_Type_free"));
        if (is_made_) free(type_.address());
    }
    MovedSlice(const MovedSlice&) = delete;
    MovedSlice& operator=(const MovedSlice&) = delete;

    int code() const { return code_; }
    const Slice& get() const { return slice_; }

private:
    Slice slice_;
    Handle type_;
    bool is_made_ = false;
    int code_ = kMpiSuccess;
};

PackFunction mpi_pack() {
    static const auto found = reinterpret_cast<PackFunction>(find_in_mpi("PMPI_Pack"));
    return found;
}

int pack_slice(const Slice& in_program, std::byte* into, std::uint64_t bytes) {
    if (bytes > kSliceBytes) return send_to_self(in_program, into, bytes);
    const MovedSlice moved(in_program, into);
    if (moved.code() != kMpiSuccess) return moved.code();
    const Slice& slice = moved.get();
    int position = 0;
    return mpi_pack()(slice.address, slice.count, slice.type, to_arg(into), static_cast<Arg>(bytes), to_arg(&position),
                      comm_of_this_process());
}

int unpack_slice(const std::byte* from, std::uint64_t bytes, const Slice& in_program) {
    static const auto mpi_unpack = reinterpret_cast<UnpackFunction>(find_in_mpi("PMPI_Unpack"));
    if (bytes > kSliceBytes) return receive_from_self(from, bytes, in_program);
    const MovedSlice moved(in_program, from);
    if (moved.code() != kMpiSuccess) return moved.code();
    const Slice& slice = moved.get();
    int position = 0;
    return mpi_unpack(to_arg(from), static_cast<Arg>(bytes), to_arg(&position), slice.address, slice.count, slice.type,
                      comm_of_this_process());
}

// Elements of one type that do not overflow an int, in number or in bytes.
std::int64_t elements_at_once(const TypeShape& shape) {
    return static_cast<std::int64_t>(std::max<std::uint64_t>(1, kSliceBytes / std::max<std::uint64_t>(1, shape.bytes)));
}

// Calls move(slice, offset, bytes) for one slice after another, while it returns MPI_SUCCESS.
template <class Move>
int each_slice(const TypedBlock& block, Move move) {
    const std::int64_t most = elements_at_once(block.shape);
    std::uint64_t offset = 0;
    for (std::int64_t done = 0; done < block.count; done += most) {
        const Slice slice{to_arg(block.address) + done * block.shape.extent, std::min(most, block.count - done),
                          block.shape.type};
        const std::uint64_t bytes = static_cast<std::uint64_t>(slice.count) * block.shape.bytes;
        const int code = move(slice, offset, bytes);
        if (code != kMpiSuccess) return code;
        offset += bytes;
    }
    return kMpiSuccess;
}

}  // namespace

bool can_pack(Arg type) {
    std::byte nothing[1];
    int position = 0;
    constexpr Arg kElements = 0;
    return mpi_pack()(to_arg(nothing), kElements, type, to_arg(nothing), sizeof nothing, to_arg(&position),
                      comm_of_this_process()) == kMpiSuccess;
}

int pack(const TypedBlock& block, std::byte* into) {
    if (block.bytes() == 0) return kMpiSuccess;
    if (block.shape.is_plain) {
        std::memcpy(into, block.address, block.bytes());
        return kMpiSuccess;
    }
    return each_slice(block, [&](const Slice& slice, std::uint64_t offset, std::uint64_t bytes) {
        return pack_slice(slice, into + offset, bytes);
    });
}

int unpack(const std::byte* from, const TypedBlock& block) {
    if (block.bytes() == 0) return kMpiSuccess;
    if (block.shape.is_plain) {
        std::memcpy(block.address, from, block.bytes());
        return kMpiSuccess;
    }
    return each_slice(block, [&](const Slice& slice, std::uint64_t offset, std::uint64_t bytes) {
        return unpack_slice(from + offset, bytes, slice);
    });
}

}  // namespace clearway::collectives
