// Which packets reach a host that seems silent: what to ask next, and what the answers say. Knows no socket.
#pragma once

#include <cstdint>

namespace clearway::recorder {

// First a small packet. If that is answered, one as large as TCP's own; if that is not, twice, what lies between is
// halved until it is known which size still passes. A host that answers to nothing tells nothing: it may be cut off, or
// its firewall may be silent.
class SizeSearch {
public:
    static constexpr std::uint16_t kSmall = 64, kNearEnough = 16;  // bytes of an IP packet
    static constexpr unsigned kTries = 12, kLargeTries = 2;

    explicit constexpr SizeSearch(std::uint16_t full) : full_(full) {}

    // 0: nothing more.
    constexpr std::uint16_t next() const {
        if (full_ <= kSmall) return 0;
        if (passed_ == 0) return tries_ < kTries ? kSmall : 0;
        if (passed_ == full_) return 0;
        if (lost_ == 0) return full_;
        return lost_ - passed_ > kNearEnough ? static_cast<std::uint16_t>(passed_ + (lost_ - passed_) / 2) : 0;
    }

    // To what next() asked for.
    constexpr void answer(bool came) {
        const std::uint16_t asked = next();
        if (came)
            passed_ = asked;
        else if (++tries_ >= (asked == full_ ? kLargeTries : 1) && passed_ != 0)
            lost_ = asked;
        if (came || lost_ == asked) tries_ = 0;
    }

    constexpr std::uint16_t passed() const { return passed_; }  // the largest that was answered; 0: none
    constexpr std::uint16_t lost() const { return lost_; }      // the smallest that was not, though smaller ones were

private:
    std::uint16_t full_;
    std::uint16_t passed_ = 0, lost_ = 0;
    unsigned tries_ = 0;  // without an answer
};

}  // namespace clearway::recorder
