// Copies of what a call is about to overwrite, and room for what the program did not ask for.
#pragma once

#include <cstddef>

#include "mpi/abi.hpp"

namespace clearway::recorder {

// A status to read from where the program asked for none, so that the bytes received are known.
class StatusRoom {
public:
    // Keeps `status` where it is a real one.
    explicit StatusRoom(Arg status, std::size_t count = 1) : status_(status) {
        if (status == abi.status_ignore && count <= kMost) status_ = reinterpret_cast<Arg>(room_);
    }
    Arg get() const { return status_; }
    bool known() const { return status_ != abi.status_ignore; }
    Arg at(std::size_t index) const { return status_ + static_cast<Arg>(index) * abi.status_bytes; }

private:
    static constexpr std::size_t kMost = 64;
    alignas(8) char room_[kMost * kMaxStatusBytes];
    Arg status_;
};

// Handles of the requests before a call that may replace them by MPI_REQUEST_NULL.
class Requests {
public:
    Requests(Arg array, std::size_t count);
    ~Requests();
    Requests(const Requests&) = delete;
    Requests& operator=(const Requests&) = delete;
    Arg operator[](std::size_t index) const { return handles_[index]; }
    std::size_t size() const { return count_; }
    const Arg* handles() const { return handles_; }

private:
    static constexpr std::size_t kInside = 256;
    Arg inside_[kInside];
    Arg* handles_;
    std::size_t count_;
};

}  // namespace clearway::recorder
