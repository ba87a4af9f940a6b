// Text in the fixed fields of a record: what does not fit is cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace clearway::recorder {

// Appends `from` to the text in `to`, which stays NUL-terminated.
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

}  // namespace clearway::recorder
