#include "collectives/table.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/hash.hpp"
#include "base/small_file.hpp"

namespace clearway::collectives {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    return line;
}

std::string_view take_word(std::string_view& line) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
    line.remove_prefix(begin);
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(word.size());
    return word;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

bool parse_operation(std::string_view text, schedule::Operation& operation) {
    for (const schedule::Operation each : schedule::kOperations) {
        if (schedule::name_of(each) != text) continue;
        operation = each;
        return true;
    }
    return false;
}

// `own=210`: false where it is not of that form.
bool parse_rival(std::string_view word, Rival& rival) {
    const std::size_t at = word.find('=');
    return at != std::string_view::npos && parse(word.substr(0, at), rival.candidate) &&
           parse_number(word.substr(at + 1), rival.percent);
}

// What is wrong with a line, or nothing.
std::string_view parse_line(std::string_view text, TableLine& line) {
    if (!parse_operation(take_word(text), line.operation)) return "it has no known operation";
    if (!parse_number(take_word(text), line.ranks) || !parse_number(take_word(text), line.hosts) ||
        !parse_number(take_word(text), line.block_bytes))
        return "it needs three numbers: ranks, hosts and bytes";
    if (!parse(take_word(text), line.candidate)) return "it has no known algorithm";
    if (!line.candidate.is_own() && !schedule::serves(*line.candidate.algorithm, line.operation))
        return "the algorithm cannot do the operation";
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text)) {
        Rival rival;
        if (!parse_rival(word, rival)) return "there is something after the algorithm";
        line.rivals.push_back(rival);
    }
    return "";
}

// Of the larger to the smaller size; one byte more each, since blocks may be empty.
double ratio(std::uint64_t a, std::uint64_t b) {
    const double x = static_cast<double>(a) + 1, y = static_cast<double>(b) + 1;
    return x > y ? x / y : y / x;
}

FlowTable read_table(const char* path, bool speaks) {
    FlowTable table;
    if (path == nullptr || *path == '\0') return table;
    std::string text, fault;
    const int error = read_whole(path, text);
    if (error == 0 && parse_table(text, table, fault)) return table;
    if (speaks)
        std::fprintf(stderr,
                     "clearway: the flow table '%s' is not used: %s\n"
                     "hint: `clearway bench --save-table FILE` writes one; all nodes must see the same file\n",
                     path, error != 0 ? std::strerror(error) : fault.c_str());
    return {};
}

}  // namespace

int read_whole(const char* path, std::string& text) {
    for (std::size_t size = 4096;; size *= 2) {
        text.resize(size);
        const long bytes = read_small_file(path, text.data(), size);
        text.resize(static_cast<std::size_t>(std::max(0L, bytes)));
        if (bytes < 0) return static_cast<int>(-bytes);
        if (text.size() < size - 1 || size >= kMostBytes) return 0;
    }
}

std::string text_of(const TableLine& line) {
    std::string text(schedule::name_of(line.operation));
    for (const std::uint64_t number : {std::uint64_t{line.ranks}, std::uint64_t{line.hosts}, line.block_bytes})
        text += ' ' + std::to_string(number);
    text += ' ' + text_of(line.candidate);
    for (const Rival& rival : line.rivals) text += ' ' + text_of(rival.candidate) + '=' + std::to_string(rival.percent);
    return text + '\n';
}

bool parse_table(std::string_view text, FlowTable& table, std::string& fault) {
    FlowTable parsed;
    parsed.hash = fnv1a(text);
    if (!take_line(text).starts_with(kTableTitle)) {
        fault = "its first line is not '" + std::string(kTableTitle) + "'";
        return false;
    }
    for (int number = 2; !text.empty(); ++number) {
        std::string_view line = take_line(text);
        line = line.substr(0, line.find('#'));
        std::string_view rest = line;
        if (take_word(rest).empty()) continue;
        TableLine entry;
        const std::string_view wrong = parse_line(line, entry);
        if (!wrong.empty()) {
            fault = "line " + std::to_string(number) + ": " + std::string(wrong);
            return false;
        }
        parsed.lines.push_back(entry);
    }
    table = std::move(parsed);
    return true;
}

const TableLine* nearest_line(const FlowTable& table, schedule::Operation operation, std::uint32_t ranks,
                              std::uint32_t hosts, std::uint64_t block_bytes) {
    const TableLine* nearest = nullptr;
    for (const TableLine& line : table.lines) {
        if (line.operation != operation || line.ranks != ranks || line.hosts != hosts) continue;
        if (nearest == nullptr || ratio(line.block_bytes, block_bytes) < ratio(nearest->block_bytes, block_bytes))
            nearest = &line;
    }
    return nearest;
}

const FlowTable& table_of_environment(bool speaks) {
    static const FlowTable table = read_table(std::getenv("CLEARWAY_FLOW_TABLE"), speaks);
    return table;
}

}  // namespace clearway::collectives
