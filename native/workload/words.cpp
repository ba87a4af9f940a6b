#include "workload/words.hpp"

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
    for (;;) {
        const std::size_t comma = text.find(',');
        const std::string_view range = text.substr(0, comma);
        const std::size_t dash = range.find('-');
        int first = 0, last = 0;
        if (!to_number(range.substr(0, dash), 0, ranks - 1, first)) return false;
        last = first;
        if (dash != std::string_view::npos && !to_number(range.substr(dash + 1), first, ranks - 1, last)) return false;
        for (int rank = first; rank <= last; ++rank) list.push_back(rank);
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace clearway::workload
