// A static object that every thread of a program may use to its end, and that takes no memory from the allocator to be
// made: it may be needed just when there is none.
#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace clearway {

template <class T>
class NeverDestroyed {
public:
    NeverDestroyed() : object_(new (memory_.data()) T()) {}
    T& operator*() const { return *object_; }

private:
    alignas(T) std::array<std::byte, sizeof(T)> memory_{};
    T* object_;
};

}  // namespace clearway
