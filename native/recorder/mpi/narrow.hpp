// MPI_X_c where the MPI has only MPI_X. Programs look whether there is a large-count function, and call it if there is
// (mpi4py does): ours are always there, so they must do what the program would have done without them.
#pragma once

#include <climits>
#include <cstdlib>

#include "mpi/abi.hpp"

namespace clearway::recorder {

// Of how many ranks a collective's arrays tell: those at the other side of an inter-communicator, where it has sides;
// of one's own side; and whether this rank is the one that has them. The MPI itself is asked, not the recorder's table
// of communicators, which may be full: with arrays that are too short the MPI would read what happens to lie behind
// them.
std::uint64_t ranks_opposite(Arg comm);
std::uint64_t ranks_beside(Arg comm);
bool is_root_of(Arg comm, int root);

// The same of a neighbourhood collective: from how many this rank receives, to how many it sends.
std::uint64_t neighbours_from(Arg comm);
std::uint64_t neighbours_to(Arg comm);

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
