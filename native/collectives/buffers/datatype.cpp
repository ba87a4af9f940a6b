#include "collectives/buffers/datatype.hpp"

namespace clearway::collectives {

namespace {

// 64-bit results, for types of 2 GiB and more.
using SizeFunction = int (*)(Arg type, std::int64_t* bytes);
using ExtentFunction = int (*)(Arg type, std::int64_t* lower_bound, std::int64_t* extent);

std::uint64_t ask_size(Arg type) {
    static const auto type_size = reinterpret_cast<SizeFunction>(find_in_mpi("PMPI_Type_size_x"));
    std::int64_t bytes = 0;
    if (type_size == nullptr || type_size(type, &bytes) != 0) return 0;
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

bool ask_extent(Arg type, std::int64_t& lower_bound, std::int64_t& extent) {
    static const auto get_extent = reinterpret_cast<ExtentFunction>(find_in_mpi("PMPI_Type_get_extent_x"));
    return get_extent != nullptr && get_extent(type, &lower_bound, &extent) == 0;
}

}  // namespace

bool begins_at_its_address(Arg type) {
    static const auto get_extent = reinterpret_cast<ExtentFunction>(find_in_mpi("PMPI_Type_get_true_extent_x"));
    std::int64_t lower_bound = 0, extent = 0;
    if (is_predefined_type(type)) return true;
    return get_extent != nullptr && get_extent(type, &lower_bound, &extent) == 0 && lower_bound == 0 &&
           bytes_of_type(type) != 0;
}

std::uint64_t bytes_of_type(Arg type) {
    const std::uint64_t bytes = type_bytes(type);
    return bytes != 0 || is_null_type(type) ? bytes : ask_size(type);
}

// Of derived types only MPI knows the order of their bytes, even where size and extent agree.
TypeShape shape_of(Arg type) {
    TypeShape shape{.type = type, .bytes = bytes_of_type(type)};
    std::int64_t lower_bound = 0;
    if (!ask_extent(type, lower_bound, shape.extent)) return {};
    shape.is_plain =
        is_predefined_type(type) && lower_bound == 0 && shape.extent == static_cast<std::int64_t>(shape.bytes);
    return shape;
}

}  // namespace clearway::collectives
