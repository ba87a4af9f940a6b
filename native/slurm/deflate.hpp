// Compresses bytes into zlib's format (RFC 1950, RFC 1951), which every language reads. Our own, for what it is used on
// is small and full of zeros: fixed codes lose 7 % to zlib there, and clusters build this without any library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace clearway::slurm {

std::vector<std::uint8_t> deflate(std::span<const std::uint8_t> bytes);

}  // namespace clearway::slurm
