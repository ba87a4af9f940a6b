// Text in fields of a fixed size: what does not fit is cut, and the end is always a NUL.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace clearway {

template <std::size_t size>
void copy_text(char (&to)[size], std::string_view from) {
    const std::size_t length = std::min(from.size(), size - 1);
    std::memcpy(to, from.data(), length);
    to[length] = '\0';
}

// Appends `from` to the text in `to`.
template <std::size_t size>
void append_text(char (&to)[size], const char* from) {
    const std::size_t used = strnlen(to, size - 1);
    const std::size_t length = std::min(std::strlen(from), size - 1 - used);
    std::memcpy(to + used, from, length);
    to[used + length] = '\0';
}

// "prefix.name"
template <std::size_t size>
void dotted(char (&to)[size], const char* prefix, const char* name) {
    to[0] = '\0';
    append_text(to, prefix);
    append_text(to, ".");
    append_text(to, name);
}

}  // namespace clearway
