#include "workload/words.hpp"

#include "units/units.hpp"

namespace clearway::workload {

Words words_of(std::string_view line) {
    constexpr std::string_view kBlanks = " \t\r";
    line = line.substr(0, line.find('#'));
    Words words;
    for (;;) {
        const std::size_t begin = line.find_first_not_of(kBlanks);
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const std::size_t end = line.find_first_of(kBlanks);
        words.push_back(line.substr(0, end));
        line.remove_prefix(words.back().size());
    }
}

std::string quoted(std::string_view text) { return std::string("'").append(text).append("'"); }

bool to_ranks(std::string_view text, int ranks, std::vector<int>& list) {
    if (ranks < 1) return false;
    return units::each_number(text, static_cast<std::uint64_t>(ranks) - 1, [&](std::uint64_t rank) {
        list.push_back(static_cast<int>(rank));
        return true;
    });
}

}  // namespace clearway::workload
