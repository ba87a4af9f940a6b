// Sizes, rates, times and lists of numbers as people write them; the same rule as Python's (docs/units.md), held
// together by tests/units/examples.txt. Nothing here allocates or throws: the libraries inside a job read their
// settings with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace clearway::units {

struct Unit {
    std::string_view name;  // in small letters
    std::uint64_t factor;
};

inline constexpr std::uint64_t kMost = INT64_MAX;  // of whatever: more fits no file, no memory and no clock

namespace detail {

inline constexpr int kMostDigits = 18;  // fit 64 bits

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr bool ends_with(std::string_view text, std::string_view end) {
    if (text.size() < end.size()) return false;
    text.remove_prefix(text.size() - end.size());
    for (std::size_t at = 0; at < end.size(); ++at)
        if (small(text[at]) != end[at]) return false;
    return true;
}

constexpr bool drop_end(std::string_view& text, std::string_view end) {
    if (!ends_with(text, end)) return false;
    text.remove_suffix(end.size());
    return true;
}

// Digits, with six behind the point at most: `value` of them all, `scale` what it is to be divided by.
struct Figure {
    std::uint64_t value = 0;
    std::uint64_t scale = 1;
};

// How many, from the front of `text`; 0 where there are none, or more than `most`.
constexpr int take_digits(std::string_view& text, std::uint64_t& value, int most = kMostDigits) {
    int digits = 0;
    for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
        if (++digits > most) return 0;
        value = value * 10 + static_cast<std::uint64_t>(text[0] - '0');
    }
    return digits;
}

// Takes them from the front of `text`, and the blank that may follow.
constexpr std::optional<Figure> take_figure(std::string_view& text) {
    Figure figure;
    const int whole = take_digits(text, figure.value);
    if (whole == 0) return {};
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        int digits = take_digits(text, figure.value, std::min(6, kMostDigits - whole));
        if (digits == 0) return {};
        for (; digits > 0; --digits) figure.scale *= 10;
    }
    if (text.starts_with(' ') && text.size() > 1) text.remove_prefix(1);
    return figure;
}

// To the nearest whole number.
constexpr std::optional<std::uint64_t> times(Figure figure, std::uint64_t factor) {
    const __uint128_t wide = (__uint128_t{figure.value} * factor + figure.scale / 2) / figure.scale;
    return wide <= kMost ? std::optional(static_cast<std::uint64_t>(wide)) : std::nullopt;
}

constexpr std::optional<std::uint64_t> with_unit(std::string_view text, Figure figure, std::span<const Unit> units) {
    for (const Unit& unit : units)
        if (text.size() == unit.name.size() && ends_with(text, unit.name)) return times(figure, unit.factor);
    return {};
}

inline constexpr std::uint64_t kKilo = 1000, kKibi = 1024;
inline constexpr Unit kPrefixes[] = {{"", 1},
                                     {"k", kKilo},
                                     {"m", kKilo* kKilo},
                                     {"g", kKilo* kKilo* kKilo},
                                     {"t", kKilo* kKilo* kKilo* kKilo},
                                     {"ki", kKibi},
                                     {"mi", kKibi* kKibi},
                                     {"gi", kKibi* kKibi* kKibi},
                                     {"ti", kKibi* kKibi* kKibi* kKibi}};
inline constexpr std::span kDecimal = std::span(kPrefixes).first<5>();
inline constexpr Unit kTimes_ns[] = {{"ns", 1},
                                     {"us", 1000},
                                     {"µs", 1000},
                                     {"ms", 1'000'000},
                                     {"s", 1'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"min", 60'000'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"d", 86'400'000'000'000}};

}  // namespace detail

// "64000", "64k" and "64kB" are 64,000 bytes, "64Ki" and "64KiB" 65,536; nothing where it is no size.
constexpr std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    const auto figure = detail::take_figure(text);
    detail::drop_end(text, "b");
    return figure ? detail::with_unit(text, *figure, detail::kPrefixes) : std::nullopt;
}

// "20mbit", "20Mbit/s" and "20000000": bit/s.
constexpr std::optional<std::uint64_t> parse_rate_bps(std::string_view text) {
    const auto figure = detail::take_figure(text);
    if (!detail::drop_end(text, "bit/s")) detail::drop_end(text, "bit");
    return figure ? detail::with_unit(text, *figure, detail::kDecimal) : std::nullopt;
}

// "25us", "1.5h"; without its unit nothing.
constexpr std::optional<std::uint64_t> parse_time_ns(std::string_view text) {
    const auto figure = detail::take_figure(text);
    return figure ? detail::with_unit(text, *figure, detail::kTimes_ns) : std::nullopt;
}

// What a size was where k, M, G and T used to be powers of 1024; nothing where it means the same as ever.
constexpr std::optional<std::uint64_t> bytes_as_binary(std::string_view text) {
    const auto figure = detail::take_figure(text);
    detail::drop_end(text, "b");
    if (!figure || text.size() != 1) return {};
    const char binary[] = {text[0], 'i'};
    return detail::with_unit({binary, 2}, *figure, detail::kPrefixes);
}

// Calls `take` with each number of "0-3,8,16-28:4", in that order. False where it is no such list, a number is above
// `most`, or `take` says so.
template <class Take>
constexpr bool each_number(std::string_view text, std::uint64_t most, Take&& take) {
    for (;;) {
        std::uint64_t first = 0, step = 1;
        if (!detail::take_digits(text, first)) return false;
        std::uint64_t last = first;
        if (text.starts_with('-')) {
            text.remove_prefix(1);
            last = 0;
            if (!detail::take_digits(text, last)) return false;
            if (text.starts_with(':')) {
                text.remove_prefix(1);
                step = 0;
                if (!detail::take_digits(text, step)) return false;
            }
        }
        if (last < first || last > most || step == 0) return false;
        for (; first <= last; first += step)
            if (!take(first)) return false;
        if (text.empty()) return true;
        if (text[0] != ',') return false;
        text.remove_prefix(1);
    }
}

}  // namespace clearway::units
