// Memory that is kept from call to call and grows as needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace clearway::collectives {

// Of an unusually large call nothing is kept.
inline constexpr std::uint64_t kMostKeptBytes = std::uint64_t{64} << 20;

class KeptMemory {
public:
    KeptMemory() = default;
    ~KeptMemory() { std::free(bytes_); }
    KeptMemory(const KeptMemory&) = delete;
    KeptMemory& operator=(const KeptMemory&) = delete;

    // At least `size` bytes of any content; null where there is no memory.
    std::byte* of(std::uint64_t size) {
        if (size > size_ || bytes_ == nullptr) {
            give_back();
            bytes_ = static_cast<std::byte*>(std::malloc(size + 1));
            size_ = bytes_ != nullptr ? size : 0;
        }
        return bytes_;
    }

    // A call of unusual size shall not keep its memory for good.
    void shrink_to(std::uint64_t most) {
        if (size_ > most) give_back();
    }

    // What it has is never used again, and never given back.
    void keep_for_good() {
        bytes_ = nullptr;
        size_ = 0;
    }

private:
    void give_back() {
        std::free(bytes_);
        bytes_ = nullptr;
        size_ = 0;
    }

    std::byte* bytes_ = nullptr;
    std::uint64_t size_ = 0;
};

}  // namespace clearway::collectives
