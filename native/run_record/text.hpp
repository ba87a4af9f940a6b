// Text into the fixed fields of the record.
#pragma once

#include <cstddef>
#include <cstring>

namespace clearway {

// Cuts at the field's size; always ends in NUL.
template <std::size_t Size>
void copy_text(char (&to)[Size], const char* from) {
    const std::size_t length = strnlen(from, Size - 1);
    std::memcpy(to, from, length);
    to[length] = '\0';
}

}  // namespace clearway
