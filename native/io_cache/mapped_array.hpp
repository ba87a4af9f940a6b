// An array straight from the kernel: all zeros, and no memory is taken where it was never written. Nothing here
// calls malloc, which the program may have replaced, or be inside of.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <limits>
#include <type_traits>

namespace clearway::io_cache {

template <class T>
class MappedArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    MappedArray() = default;
    MappedArray(const MappedArray&) = delete;
    MappedArray& operator=(const MappedArray&) = delete;
    ~MappedArray() {
        if (data_ != nullptr) munmap(data_, bytes_);
    }

    // Once. False: there is no memory.
    bool allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) return false;
        bytes_ = count * sizeof(T);
        void* mapped =
            mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) return false;
        data_ = static_cast<T*>(mapped);
        return true;
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

private:
    T* data_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace clearway::io_cache
