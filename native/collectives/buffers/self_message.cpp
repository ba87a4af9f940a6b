#include "collectives/buffers/self_message.hpp"

#include <atomic>

#include "collectives/own_mpi.hpp"
#include "collectives/process_comm.hpp"

namespace clearway::collectives {

namespace {

// MPI_Type_contiguous(count, oldtype, newtype)
using MakeContiguous = int (*)(Arg count, Arg type, Arg new_type);
// MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype)
using MakeStruct = int (*)(Arg count, Arg lengths, Arg displacements, Arg types, Arg new_type);
using TypeFunction = int (*)(Arg type);
// MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,
// status)
using Sendrecv = int (*)(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg);

template <class Function>
Function find(const char* symbol) {
    return reinterpret_cast<Function>(find_in_mpi(symbol));
}

// So many bytes as one element: whole pieces, and what is left behind them.
class ManyBytes {
public:
    explicit ManyBytes(std::uint64_t bytes) {
        constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
        const auto contiguous = find<MakeContiguous>("PMPI_Type_contiguous");
        const auto structure = find<MakeStruct>("PMPI_Type_create_struct");
        const auto commit = find<TypeFunction>("PMPI_Type_commit");
        const auto release = find<TypeFunction>("PMPI_Type_free");
        Handle piece, pieces, rest;
        const Arg byte = own_mpi()->byte;
        const auto whole = static_cast<std::int64_t>(bytes / kPiece * kPiece);
        note(contiguous(kPiece, byte, piece.address()));
        note(contiguous(static_cast<Arg>(bytes / kPiece), piece.get(), pieces.address()));
        note(contiguous(static_cast<Arg>(bytes % kPiece), byte, rest.address()));
        const int lengths[] = {1, 1};
        const std::int64_t displacements[] = {0, whole};
        HandlePair types(pieces.get(), rest.get());
        if (code_ == kMpiSuccess)
            note(structure(2, to_arg(lengths), to_arg(displacements), types.address(), type_.address()));
        if (code_ == kMpiSuccess) note(commit(type_.address()));
        for (Handle* each : {&piece, &pieces, &rest})
            if (each->get() != 0) release(each->address());
    }
    ~ManyBytes() {
        if (code_ == kMpiSuccess) find<TypeFunction>("PMPI_Type_free")(type_.address());
    }
    ManyBytes(const ManyBytes&) = delete;
    ManyBytes& operator=(const ManyBytes&) = delete;

    int code() const { return code_; }
    Arg type() const { return type_.get(); }

private:
    void note(int code) {
        if (code_ == kMpiSuccess) code_ = code;
    }

    int code_ = kMpiSuccess;
    Handle type_;
};

Arg next_tag() {
    static std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed) & 0x7fffU;  // two threads may be at it
}

int move(const Slice& from, const Slice& into) {
    static const auto sendrecv = find<Sendrecv>("PMPI_Sendrecv");
    const Arg tag = next_tag();
    return sendrecv(from.address, from.count, from.type, 0, tag, into.address, into.count, into.type, 0, tag,
                    comm_of_this_process(), abi.status_ignore);
}

}  // namespace

int send_to_self(const Slice& in_program, std::byte* into, std::uint64_t bytes) {
    const ManyBytes flat(bytes);
    return flat.code() != kMpiSuccess ? flat.code() : move(in_program, {to_arg(into), 1, flat.type()});
}

int receive_from_self(const std::byte* from, std::uint64_t bytes, const Slice& in_program) {
    const ManyBytes flat(bytes);
    return flat.code() != kMpiSuccess ? flat.code() : move({to_arg(from), 1, flat.type()}, in_program);
}

}  // namespace clearway::collectives
