#include "recorder/io/outputs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "recorder/process.hpp"
#include "recorder/thread.hpp"

namespace clearway::recorder {
namespace {

constexpr std::uint32_t kMostOutputs = 64;  // process.outputs' limit

// The cell of each file's output. Few: a search beats a table by file index.
std::atomic<OutputCell*> outputs[kMostOutputs];
std::atomic<std::uint32_t> begun{0};

OutputCell* output_of(std::uint16_t file) {
    for (const auto& output : outputs) {
        OutputCell* cell = output.load(std::memory_order_acquire);
        if (cell != nullptr && cell->file == file) return cell;
    }
    return nullptr;
}

// Files that have a cell, and a name, of their own.
bool has_own_name(const FileCell& cell) { return cell.path[0] == '/' && (cell.flags & kFilePathCut) == 0; }

std::uint64_t nanoseconds(const timespec& time) {
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

void output_begun(const Descriptor& descriptor, const FileCell& cell, std::uint64_t at) {
    if (!has_own_name(cell)) return;
    const std::uint32_t number =
        begun.load(std::memory_order_relaxed) < kMostOutputs ? begun.fetch_add(1) : kMostOutputs;
    if (number >= kMostOutputs) return;
    const int saved_errno = errno;
    const InRecorder inside;
    struct statx status {};  // not its size, which the I/O cache would have to write back
    const int fd = static_cast<int>(&descriptor - descriptors);
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &status) == 0 && S_ISREG(status.stx_mode)) {
        const OutputCell output{descriptor.index.load(std::memory_order_relaxed), 0, status.stx_ino, at, 0, 0};
        outputs[number].store(process.outputs.add(process.file, output), std::memory_order_release);
    }
    errno = saved_errno;
}

void output_closed(std::uint16_t file, const FileCell& cell) {
    if ((__atomic_load_n(&cell.flags, __ATOMIC_RELAXED) & kFileWritten) == 0) return;
    OutputCell* output = output_of(file);
    if (output == nullptr) return;
    const int saved_errno = errno;
    struct stat status {};
    // By name, and after the file was closed: a network file system knows its size and time only then.
    if (syscall(SYS_newfstatat, AT_FDCWD, cell.path, &status, 0) == 0 && status.st_ino == output->inode) {
        output->closed_bytes = static_cast<std::uint64_t>(status.st_size);
        output->closed_ns = nanoseconds(status.st_mtim);
    } else {
        output->inode = 0;  // renamed or deleted, or another file has its name
    }
    errno = saved_errno;
}

}  // namespace clearway::recorder
