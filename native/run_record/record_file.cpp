#include "run_record/record_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "base/size_limit.hpp"

namespace clearway {
namespace {

constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t round_up(std::uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Raw system calls: libc's names are ours to watch in this process, and this is not the job's I/O.
int open_raw(const char* path, int flags) {
    return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644));
}

// Where the file system has no fallocate (some network ones), zeros are written instead: the same promise, slower.
int reserve_blocks(int fd, std::uint64_t offset, std::uint64_t bytes) {
    if (!may_grow_to(offset + bytes)) return EFBIG;
    long refused;
    do {
        refused = syscall(SYS_fallocate, fd, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
    } while (refused != 0 && errno == EINTR);
    if (refused == 0) return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
    static constexpr char zeros[kPage] = {};
    for (std::uint64_t at = offset; at < offset + bytes; at += kPage) {
        const long written = syscall(SYS_pwrite64, fd, zeros, kPage, static_cast<off_t>(at));
        if (written != static_cast<long>(kPage)) return written < 0 ? errno : ENOSPC;
    }
    return 0;
}

}  // namespace

int RecordFile::reserve(std::uint64_t offset, std::uint64_t bytes, void** mapped) {
    const int fd = open_raw(path_, O_RDWR);
    if (fd < 0) return errno;
    int error = reserve_blocks(fd, offset, bytes);
    if (error == 0) {
        const long address =
            syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
        if (address == -1)
            error = errno;
        else
            *mapped = reinterpret_cast<void*>(address);
    }
    syscall(SYS_close, fd);
    return error;
}

int RecordFile::create(const char* path, FileKind kind) {
    if (std::strlen(path) >= sizeof path_) return ENAMETOOLONG;
    const int saved_errno = errno;
    const int fd = open_raw(path, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0) {
        const int error = errno;
        errno = saved_errno;
        return error;
    }
    syscall(SYS_close, fd);
    std::strcpy(path_, path);
    void* mapped = nullptr;
    const int error = reserve(0, kFirstSegmentOffset, &mapped);
    if (error != 0 || mapped == nullptr) {
        syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        errno = saved_errno;
        return error != 0 ? error : EIO;
    }
    auto* header = static_cast<FileHeader*>(mapped);
    directory_ = reinterpret_cast<SegmentEntry*>(static_cast<char*>(mapped) + kHeaderBytes);
    header->version = kVersion;
    header->header_bytes = kHeaderBytes;
    header->byte_order = kByteOrder;
    header->kind = kind;
    header->state = State::started;
    header->rank = -1;
    header->pid = static_cast<std::int32_t>(getpid());
    header->file_bytes = kFirstSegmentOffset;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    std::memcpy(header->magic, kMagic, sizeof kMagic);
    header_ = header;
    errno = saved_errno;
    return 0;
}

void* RecordFile::add_segment(SegmentKind kind, std::uint32_t element_bytes, std::uint32_t capacity,
                              std::uint32_t thread, SegmentEntry** entry) {
    const int saved_errno = errno;
    const NoSignals undisturbed;
    while (growing_.test_and_set(std::memory_order_acquire)) {
    }
    void* mapped = nullptr;
    if (header_ != nullptr && !full_ && header_->segment_count < kMaxSegments) {
        const std::uint64_t offset = header_->file_bytes;
        const std::uint64_t bytes = round_up(static_cast<std::uint64_t>(element_bytes) * capacity);
        if (reserve(offset, bytes, &mapped) == 0) {
            SegmentEntry& slot = directory_[header_->segment_count];
            slot = SegmentEntry{kind, static_cast<std::uint16_t>(element_bytes), thread, offset, capacity, 0};
            *entry = &slot;
            header_->file_bytes = offset + bytes;
            __atomic_store_n(&header_->segment_count, header_->segment_count + 1, __ATOMIC_RELEASE);
        } else {
            mapped = nullptr;
            full_ = true;
        }
    }
    growing_.clear(std::memory_order_release);
    errno = saved_errno;
    return mapped;
}

void RecordFile::abandon() {
    header_ = nullptr;  // the pages stay mapped: a thread of the parent's image may still point there
    directory_ = nullptr;
    growing_.clear();
}

}  // namespace clearway
