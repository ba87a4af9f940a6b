#include "socket_options/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

namespace clearway::socket_options {

namespace {

// Without CLEARWAY_FLOW_SOCKETS: what helped in docs/flow-programs.md. A loss whose acknowledgement does not come
// stalls a connection for 40 ms instead of 200; acknowledgements may therefore not be put off for as long.
constexpr char kDefault[] = "rto_min:40ms,delack_max:20ms";

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};
constexpr Unit kBytes[] = {{"", 1}, {"k", 1000}, {"m", 1'000'000}};
constexpr Unit kTimes[] = {{"us", 1}, {"ms", 1000}, {"s", 1'000'000}};
constexpr Unit kRates[] = {{"kbit", 125}, {"mbit", 125'000}, {"gbit", 125'000'000}};

template <std::size_t count, class Number>
bool to_number(std::string_view text, const Unit (&units)[count], Number& number) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value == 0) return false;
    const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const Unit& known : units) {
        if (unit != known.name) continue;
        if (value > std::numeric_limits<Number>::max() / known.factor) return false;
        number = static_cast<Number>(value * known.factor);
        return true;
    }
    return false;
}

bool to_name(std::string_view text, char (&name)[16]) {
    if (text.empty() || text.size() >= sizeof name) return false;
    name[text.copy(name, sizeof name - 1)] = '\0';
    return true;
}

bool parse_one(std::string_view text, SocketSettings& settings) {
    if (text == "quickack") return settings.quickack = true;
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view name = text.substr(0, colon), value = text.substr(colon + 1);
    if (name == "pace") return to_number(value, kRates, settings.pace_bytes_per_s);
    if (name == "send_buffer") return to_number(value, kBytes, settings.send_buffer_bytes);
    if (name == "receive_buffer") return to_number(value, kBytes, settings.receive_buffer_bytes);
    if (name == "notsent_lowat") return to_number(value, kBytes, settings.notsent_lowat_bytes);
    if (name == "rto_min") return to_number(value, kTimes, settings.rto_min_us);
    if (name == "delack_max") return to_number(value, kTimes, settings.delack_max_us);
    return name == "congestion" && to_name(value, settings.congestion);
}

}  // namespace

bool parse_socket_settings(const char* text, SocketSettings& settings) {
    settings = {};
    std::string_view rest = text;
    if (rest == "off") return true;
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        if (!parse_one(rest.substr(0, comma), settings)) return false;
        rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    }
    return true;
}

const SocketSettings& socket_settings() {
    static const SocketSettings settings = [] {
        SocketSettings said;
        const char* flow = std::getenv("CLEARWAY_FLOW");
        if (flow != nullptr && std::strcmp(flow, "off") == 0) return said;
        const char* text = std::getenv("CLEARWAY_FLOW_SOCKETS");
        return parse_socket_settings(text != nullptr ? text : kDefault, said) ? said : SocketSettings{};
    }();
    return settings;
}

}  // namespace clearway::socket_options
