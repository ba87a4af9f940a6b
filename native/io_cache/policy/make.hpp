// Policies by name.
#pragma once

#include <memory>
#include <string_view>

#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

// Null where the name is not known, or there is no memory.
std::unique_ptr<Policy> make_policy(std::string_view name, std::uint32_t frames);

}  // namespace clearway::io_cache
