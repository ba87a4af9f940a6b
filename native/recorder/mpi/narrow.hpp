// MPI_X_c where the MPI has only MPI_X. Programs look whether there is a large-count function, and call it if there is
// (mpi4py does): ours are always there, so they must do what the program would have done without them.
#pragma once

#include <climits>
#include <cstdlib>

#include "mpi/abi.hpp"

namespace clearway::recorder {

inline bool is_int(Arg value) { return value >= INT_MIN && value <= INT_MAX; }

// An array of counts or displacements, one for each of `size` ranks, as the `int` of MPI_X. Who `keeps` it may read it
// after the call has returned: then it stays.
class NarrowArray {
public:
    NarrowArray(Arg wide, std::uint64_t size, bool is_read, bool keeps) : keeps_(keeps), wide_(wide) {
        if (!is_read || wide == 0) return;
        const auto* const values = reinterpret_cast<const Arg*>(wide);
        narrow_ = static_cast<int*>(std::malloc((size + 1) * sizeof(int)));
        fits_ = narrow_ != nullptr;
        for (std::uint64_t i = 0; fits_ && i < size; ++i) {
            fits_ = is_int(values[i]);
            narrow_[i] = static_cast<int>(values[i]);
        }
    }
    ~NarrowArray() {
        if (!keeps_ || !fits_) std::free(narrow_);
    }
    NarrowArray(const NarrowArray&) = delete;
    NarrowArray& operator=(const NarrowArray&) = delete;

    bool fits() const { return fits_; }
    Arg get() const { return narrow_ != nullptr ? reinterpret_cast<Arg>(narrow_) : wide_; }

private:
    bool keeps_;
    bool fits_ = true;
    Arg wide_;
    int* narrow_ = nullptr;
};

}  // namespace clearway::recorder
