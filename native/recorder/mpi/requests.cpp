#include "recorder/mpi/requests.hpp"

#include <sys/mman.h>
#include <cerrno>

namespace clearway::recorder {

Requests::Requests(Arg array, std::size_t count) : handles_(inside_), count_(count) {
    if (count > kInside) {
        const int saved_errno = errno;
        void* memory = mmap(nullptr, count * sizeof(Arg), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        errno = saved_errno;
        if (memory == MAP_FAILED) {
            count_ = 0;
            return;
        }
        handles_ = static_cast<Arg*>(memory);
    }
    for (std::size_t i = 0; i < count_; ++i) handles_[i] = handle_at(array, i);
}

Requests::~Requests() {
    if (handles_ != inside_) munmap(handles_, count_ * sizeof(Arg));
}

}  // namespace clearway::recorder
