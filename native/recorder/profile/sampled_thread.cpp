#include "recorder/profile/sampled_thread.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace clearway::recorder {
namespace {

// All by raw system calls: libc's mmap may be an entry point of our I/O cache, which would take the descriptor for one
// of the job's of the same number.

// The kernel's page about the ring, and one of samples: 256 of them, which fill it in 2.5 s.
std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
std::size_t ring_bytes() { return 2 * page_bytes(); }

// A counter of software: those of the processor are few, and other tools want them. Of the kernel's own instructions
// nothing may be asked without rights.
int open_counter(unsigned tid) {
    perf_event_attr what{};
    what.size = PERF_ATTR_SIZE_VER5;
    what.type = PERF_TYPE_SOFTWARE;
    what.config = PERF_COUNT_SW_TASK_CLOCK;
    what.sample_period = std::uint64_t{kSample_us} * 1000;
    what.sample_type = PERF_SAMPLE_IP;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    return static_cast<int>(syscall(SYS_perf_event_open, &what, static_cast<int>(tid), -1, -1, PERF_FLAG_FD_CLOEXEC));
}

struct IpSample {
    perf_event_header header;
    std::uint64_t address;
};

// Records are multiples of 8 bytes, and one may go on at the begin of the ring.
void copy_out(const char* data, std::size_t size, std::uint64_t at, void* to, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += 8)
        std::memcpy(static_cast<char*>(to) + done, data + (at + done) % size, 8);
}

}  // namespace

int SampledThread::begin(unsigned tid) {
    fd_ = open_counter(tid);
    if (fd_ < 0) return errno;
    const long ring = syscall(SYS_mmap, nullptr, ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0L);
    if (ring == -1) {
        const int error = errno;
        syscall(SYS_close, fd_);
        fd_ = -1;
        return error;
    }
    ring_ = reinterpret_cast<void*>(ring);
    return 0;
}

void SampledThread::end() {
    if (!is_on()) return;
    syscall(SYS_munmap, ring_, ring_bytes());
    syscall(SYS_close, fd_);
    fd_ = -1;
    ring_ = nullptr;
}

std::size_t SampledThread::take(std::uint64_t* addresses, std::size_t most) {
    auto* page = static_cast<perf_event_mmap_page*>(ring_);
    const char* data = static_cast<char*>(ring_) + page_bytes();
    const std::uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    std::uint64_t tail = page->data_tail;
    std::size_t number = 0;
    while (tail < head && number < most) {
        IpSample sample{};
        copy_out(data, page_bytes(), tail, &sample.header, sizeof sample.header);
        if (sample.header.size < sizeof sample.header) break;
        if (sample.header.type == PERF_RECORD_SAMPLE) {
            copy_out(data, page_bytes(), tail, &sample, sizeof sample);
            addresses[number++] = sample.address;
        }
        tail += sample.header.size;
    }
    __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
    return number;
}

}  // namespace clearway::recorder
