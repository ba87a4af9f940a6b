// MPI's predefined handles: objects in Open MPI, numbers in MPICH's ABI (https://www.mpich.org/abi/) and in the
// standard one (MPI 5.0, annex A).
#pragma once

#include "mpi/abi.hpp"

namespace clearway {

struct PredefinedHandle {
    const char* open_mpi;
    std::int32_t mpich, standard;
};

inline constexpr PredefinedHandle kCommWorld{"ompi_mpi_comm_world", 0x44000000, 0x101};
inline constexpr PredefinedHandle kCommSelf{"ompi_mpi_comm_self", 0x44000001, 0x102};
inline constexpr PredefinedHandle kCommNull{"ompi_mpi_comm_null", 0x04000000, 0x100};
inline constexpr PredefinedHandle kRequestNull{"ompi_request_null", 0x2c000000, 0x180};
inline constexpr PredefinedHandle kErrorsReturn{"ompi_mpi_errors_return", 0x54000001, 0x143};

inline constexpr PredefinedHandle kDatatypeNull{"ompi_mpi_datatype_null", 0x0c000000, 0x200};
inline constexpr PredefinedHandle kByte{"ompi_mpi_byte", 0x4c00010d, 0x247};
inline constexpr PredefinedHandle kUint64{"ompi_mpi_uint64_t", 0x4c00083e, 0x259};
inline constexpr PredefinedHandle kDouble{"ompi_mpi_double", 0x4c00080b, 0x214};

inline constexpr PredefinedHandle kMax{"ompi_mpi_op_max", 0x58000001, 0x23};
inline constexpr PredefinedHandle kSum{"ompi_mpi_op_sum", 0x58000003, 0x21};

// In the MPI that this process has (abi.hpp).
inline Arg predefined(const PredefinedHandle& handle) {
    if (abi.abi == Abi::open_mpi) return find_object(handle.open_mpi);
    return abi.abi == Abi::mpich ? handle.mpich : handle.standard;
}

// The same where it is asked often: an object is looked up once.
template <const PredefinedHandle& handle>
Arg predefined() {
    if (abi.abi != Abi::open_mpi) return predefined(handle);
    static const Arg object = find_object(handle.open_mpi);
    return object;
}

}  // namespace clearway
