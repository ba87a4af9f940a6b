// A line of a Script, taken apart.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace clearway::workload {

using Words = std::vector<std::string_view>;

// Separated by blanks, up to a '#'.
Words words_of(std::string_view line);

std::string quoted(std::string_view text);

template <typename Number>
bool to_number(std::string_view text, Number least, Number most, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && number >= least && number <= most;
}

// "0-3,6" is 0 1 2 3 6, "0-6:2" 0 2 4 6; each below `ranks`.
bool to_ranks(std::string_view text, int ranks, std::vector<int>& list);

}  // namespace clearway::workload
