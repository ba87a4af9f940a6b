#include "schedule/candidate.hpp"

#include <charconv>

namespace clearway::schedule {

namespace {

// Cuts `text` before the first `mark`; returns what stood behind it, or nothing.
std::string_view cut_at(std::string_view& text, char mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = text.substr(at + 1);
    text = text.substr(0, at);
    return rest;
}

bool parse_number(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() && number > 0;
}

bool parse_gate(std::string_view text, Separation& separation) {
    std::string_view name = text;
    const std::string_view window = cut_at(name, ':');
    for (const Gate gate : kGates) {
        if (name_of(gate) != name) continue;
        separation.gate = gate;
        return name.size() == text.size() || parse_number(window, separation.window_bytes);
    }
    return false;
}

bool parse_option(std::string_view text, Separation& separation) {
    const std::string_view value = cut_at(text, ':');
    if (text == "chunk") return parse_number(value, separation.chunk_bytes);
    if (text == "pace") return parse_number(value, separation.pace_bytes_per_s);
    return false;
}

}  // namespace

bool parse(std::string_view text, Candidate& candidate) {
    if (text == "own") {
        candidate = {};
        return true;
    }
    Candidate parsed;
    const bool has_options = text.find(',') != std::string_view::npos;
    std::string_view options = cut_at(text, ',');
    const bool has_gate = text.find('+') != std::string_view::npos;
    const std::string_view gate = cut_at(text, '+');
    parsed.algorithm = find_algorithm(text);
    if (parsed.algorithm == nullptr || (has_gate && !parse_gate(gate, parsed.separation))) return false;
    for (bool more = has_options; more;) {
        more = options.find(',') != std::string_view::npos;
        const std::string_view rest = cut_at(options, ',');
        if (!parse_option(options, parsed.separation)) return false;
        options = rest;
    }
    if (!fault_of(parsed.separation).empty()) return false;
    candidate = parsed;
    return true;
}

std::string text_of(const Candidate& candidate) {
    if (candidate.is_own()) return "own";
    const Separation& separation = candidate.separation;
    std::string text(candidate.algorithm->name);
    if (separation.gate != Gate::none) {
        text += '+';
        text += name_of(separation.gate);
        if (separation.window_bytes != 0) text += ':' + std::to_string(separation.window_bytes);
    }
    if (separation.chunk_bytes != 0) text += ",chunk:" + std::to_string(separation.chunk_bytes);
    if (separation.pace_bytes_per_s != 0) text += ",pace:" + std::to_string(separation.pace_bytes_per_s);
    return text;
}

}  // namespace clearway::schedule
