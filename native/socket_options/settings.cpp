#include "socket_options/settings.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "units/units.hpp"

namespace clearway::socket_options {

namespace {

// Without CLEARWAY_FLOW_SOCKETS: what helped in docs/flow-programs.md. A loss whose acknowledgement does not come
// stalls a connection for 40 ms instead of 200; acknowledgements may therefore not be put off for as long.
constexpr char kDefault[] = "rto_min:40ms,delack_max:20ms";
constexpr std::uint64_t kLeastPace_bytes_per_s = 125;  // 1 kbit/s: less is a slip of the finger

// Nothing, or 0, is no setting.
template <class Number>
bool to_number(std::optional<std::uint64_t> told, std::uint64_t unit, Number& number) {
    const std::uint64_t value = told.value_or(0) / unit;
    if (value == 0 || value > std::numeric_limits<Number>::max()) return false;
    number = static_cast<Number>(value);
    return true;
}

template <class Number>
bool to_bytes(std::string_view text, Number& bytes) {
    return to_number(units::parse_bytes(text), 1, bytes);
}

bool to_us(std::string_view text, std::uint32_t& us) { return to_number(units::parse_time_ns(text), 1000, us); }

bool to_pace(std::string_view text, std::uint64_t& bytes_per_s) {
    return to_number(units::parse_rate_bps(text), 8, bytes_per_s) && bytes_per_s >= kLeastPace_bytes_per_s;
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
    if (name == "pace") return to_pace(value, settings.pace_bytes_per_s);
    if (name == "send_buffer") return to_bytes(value, settings.send_buffer_bytes);
    if (name == "receive_buffer") return to_bytes(value, settings.receive_buffer_bytes);
    if (name == "notsent_lowat") return to_bytes(value, settings.notsent_lowat_bytes);
    if (name == "rto_min") return to_us(value, settings.rto_min_us);
    if (name == "delack_max") return to_us(value, settings.delack_max_us);
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
