// The link of a network interface: what was negotiated, what the card could do, flow control.
#include <linux/ethtool.h>

#include "recorder/host/interface_facts.hpp"

namespace clearway::recorder {
namespace {

struct Mode {
    int bit;
    std::uint32_t speed_mbit;
};

// Of each speed some modes that cards of this speed have; fastest first.
constexpr Mode kModes[] = {
    {ETHTOOL_LINK_MODE_400000baseCR8_Full_BIT, 400000}, {ETHTOOL_LINK_MODE_400000baseSR8_Full_BIT, 400000},
    {ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT, 400000}, {ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT, 200000},
    {ETHTOOL_LINK_MODE_200000baseSR4_Full_BIT, 200000}, {ETHTOOL_LINK_MODE_200000baseCR2_Full_BIT, 200000},
    {ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT, 100000}, {ETHTOOL_LINK_MODE_100000baseSR4_Full_BIT, 100000},
    {ETHTOOL_LINK_MODE_100000baseKR4_Full_BIT, 100000}, {ETHTOOL_LINK_MODE_100000baseCR2_Full_BIT, 100000},
    {ETHTOOL_LINK_MODE_56000baseCR4_Full_BIT, 56000},   {ETHTOOL_LINK_MODE_50000baseCR2_Full_BIT, 50000},
    {ETHTOOL_LINK_MODE_50000baseCR_Full_BIT, 50000},    {ETHTOOL_LINK_MODE_40000baseCR4_Full_BIT, 40000},
    {ETHTOOL_LINK_MODE_40000baseSR4_Full_BIT, 40000},   {ETHTOOL_LINK_MODE_25000baseCR_Full_BIT, 25000},
    {ETHTOOL_LINK_MODE_25000baseSR_Full_BIT, 25000},    {ETHTOOL_LINK_MODE_10000baseT_Full_BIT, 10000},
    {ETHTOOL_LINK_MODE_10000baseCR_Full_BIT, 10000},    {ETHTOOL_LINK_MODE_10000baseSR_Full_BIT, 10000},
    {ETHTOOL_LINK_MODE_10000baseKR_Full_BIT, 10000},    {ETHTOOL_LINK_MODE_5000baseT_Full_BIT, 5000},
    {ETHTOOL_LINK_MODE_2500baseT_Full_BIT, 2500},       {ETHTOOL_LINK_MODE_1000baseT_Full_BIT, 1000},
    {ETHTOOL_LINK_MODE_1000baseX_Full_BIT, 1000},       {ETHTOOL_LINK_MODE_1000baseKX_Full_BIT, 1000},
    {ETHTOOL_LINK_MODE_100baseT_Full_BIT, 100},         {ETHTOOL_LINK_MODE_10baseT_Full_BIT, 10},
};

constexpr int kMostWords = 8;  // 256 modes; today's kernels have about 120

// ethtool_link_settings with room for its masks, of which the first is what the card supports.
class LinkSettings {
public:
    // The kernel is asked twice: how long its masks are it says by refusing the first length.
    bool read(const ControlSocket& socket, const char* interface) {
        head().cmd = ETHTOOL_GLINKSETTINGS;
        if (!socket.ethtool(interface, words_)) return false;
        const int words = -head().link_mode_masks_nwords;
        if (words <= 0 || words > kMostWords) return false;
        std::memset(words_, 0, sizeof words_);
        head().cmd = ETHTOOL_GLINKSETTINGS;
        head().link_mode_masks_nwords = static_cast<__s8>(words);
        return socket.ethtool(interface, words_);
    }

    ethtool_link_settings& head() { return *reinterpret_cast<ethtool_link_settings*>(words_); }

    bool supports(int mode) {
        return mode / 32 < head().link_mode_masks_nwords && (words_[kHeadWords + mode / 32] >> (mode % 32) & 1U) != 0;
    }

private:
    static constexpr int kHeadWords = sizeof(ethtool_link_settings) / sizeof(std::uint32_t);
    std::uint32_t words_[kHeadWords + 3 * kMostWords] = {};
};

void describe_speed(const char* interface, LinkSettings& settings) {
    const auto& head = settings.head();
    if (head.speed != 0 && head.speed != static_cast<std::uint32_t>(SPEED_UNKNOWN))
        add_interface_fact(interface, "speed_mbit", head.speed);
    if (head.duplex == DUPLEX_FULL) add_interface_fact(interface, "duplex", "full");
    if (head.duplex == DUPLEX_HALF) add_interface_fact(interface, "duplex", "half");
    for (const auto& mode : kModes)
        if (settings.supports(mode.bit)) return add_interface_fact(interface, "supported_mbit", mode.speed_mbit);
}

}  // namespace

void describe_link(const ControlSocket& socket, const char* interface) {
    LinkSettings settings;
    if (settings.read(socket, interface)) describe_speed(interface, settings);
    ethtool_pauseparam pause{};
    pause.cmd = ETHTOOL_GPAUSEPARAM;
    if (socket.ethtool(interface, &pause)) {
        add_interface_fact(interface, "pause_autoneg", pause.autoneg != 0 ? "on" : "off");
        add_interface_fact(interface, "rx_pause", pause.rx_pause != 0 ? "on" : "off");
        add_interface_fact(interface, "tx_pause", pause.tx_pause != 0 ? "on" : "off");
    }
    ethtool_drvinfo driver{};
    driver.cmd = ETHTOOL_GDRVINFO;
    if (socket.ethtool(interface, &driver)) {
        driver.driver[sizeof driver.driver - 1] = '\0';
        add_interface_fact(interface, "driver", driver.driver);
    }
    ifreq request;
    if (socket.ask(interface, SIOCGIFMTU, nullptr, request))
        add_interface_fact(interface, "mtu", static_cast<std::uint64_t>(request.ifr_mtu));
}

}  // namespace clearway::recorder
