// Doors that move bytes through a descriptor: read, write and their positioned, vectored, checked and 64-bit names; and
// those that copy within the kernel.
#include "recorder/io/operations.hpp"

namespace clearway::recorder {
namespace {

// One end of a copy. `offset` as the program gave it: null at the descriptor's position, else moved on by the kernel.
struct End {
    Descriptor* descriptor;  // null: no file
    const off_t* offset;

    off_t before(ssize_t bytes) const { return offset != nullptr ? *offset - bytes : kAtPosition; }
    std::uint16_t index() const { return descriptor->index.load(std::memory_order_relaxed); }
};

template <FileOperation operation>
void book_end(const End& end, FileCell* cell, ssize_t bytes, std::uint64_t ticks) {
    if (cell == nullptr) return;
    if (bytes <= 0) return book<operation>(cell, ticks);  // nobody says that what `offset` points to is there
    book_transfer<operation>(*end.descriptor, *cell, end.before(bytes), static_cast<std::uint64_t>(bytes), ticks);
}

// A read of the one file and a write of the other. The time is the write's, so that none stands in two lines; where
// only the file that is read is one, its own.
template <class Call>
ssize_t copy(RealName& function, int from, const off_t* from_offset, int to, const off_t* to_offset, Call call) {
    if (!recording) return call();
    const End source{tracked(from), from_offset}, target{tracked(to), to_offset};
    const bool is_file = source.descriptor != nullptr || target.descriptor != nullptr;
    ThreadState* thread = is_file ? recordable_thread() : nullptr;
    if (thread == nullptr) return call();
    FileCell* read_cell = source.descriptor != nullptr ? &cell_of(*source.descriptor) : nullptr;
    FileCell* written_cell = target.descriptor != nullptr ? &cell_of(*target.descriptor) : nullptr;
    const std::uint64_t entry = enter_door(*thread);
    const ssize_t bytes = call();
    const std::uint64_t exit = leave_door(*thread, entry);
    const std::uint64_t ticks = exit - entry;
    book_end<FileOperation::read>(source, read_cell, bytes, written_cell == nullptr ? ticks : 0);
    book_end<FileOperation::write>(target, written_cell, bytes, ticks);
    show_on_timeline(function, (written_cell != nullptr ? target : source).index(), entry, exit,
                     bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0);
    return bytes;
}

}  // namespace
}  // namespace clearway::recorder

using namespace clearway;
using namespace clearway::recorder;

#define CLEARWAY_TRANSFER_DOOR(name, operation, at)                                                         \
    CLEARWAY_DOOR(name) {                                                                                   \
        return transfer<FileOperation::operation>(real::name, fd, at, [&] { return CLEARWAY_REAL(name); }); \
    }

CLEARWAY_TRANSFER_DOOR(read, read, kAtPosition)
CLEARWAY_TRANSFER_DOOR(__read_chk, read, kAtPosition)
CLEARWAY_TRANSFER_DOOR(readv, read, kAtPosition)
CLEARWAY_TRANSFER_DOOR(pread, read, at)
CLEARWAY_TRANSFER_DOOR(__pread_chk, read, at)
CLEARWAY_TRANSFER_DOOR(preadv, read, at)
CLEARWAY_TRANSFER_DOOR(preadv2, read, at)  // -1: at the descriptor's position, which is what kAtPosition says too
CLEARWAY_TRANSFER_DOOR(write, write, kAtPosition)
CLEARWAY_TRANSFER_DOOR(writev, write, kAtPosition)
CLEARWAY_TRANSFER_DOOR(pwrite, write, at)
CLEARWAY_TRANSFER_DOOR(pwritev, write, at)
CLEARWAY_TRANSFER_DOOR(pwritev2, write, at)

CLEARWAY_DOOR(sendfile) {
    return copy(real::sendfile, from, offset, to, nullptr, [&] { return CLEARWAY_REAL(sendfile); });
}
CLEARWAY_DOOR(copy_file_range) {
    return copy(real::copy_file_range, from, from_offset, to, to_offset,
                [&] { return CLEARWAY_REAL(copy_file_range); });
}
CLEARWAY_DOOR(splice) {
    return copy(real::splice, from, from_offset, to, to_offset, [&] { return CLEARWAY_REAL(splice); });
}
