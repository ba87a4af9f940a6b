#include "schedule/engine/token_gate.hpp"

#include <utility>

namespace clearway::schedule {

TokenGate::TokenGate(const Program& program, std::uint64_t window_bytes, std::vector<std::uint64_t> bytes_in_phase)
    : program_(program),
      window_bytes_(window_bytes),
      missing_bytes_(std::move(bytes_in_phase)),
      missing_leaves_(missing_bytes_.size(), 0),
      missing_until_giving_(missing_bytes_.empty() ? 0 : missing_bytes_.front()) {
    for (const Leave& leave : program.needs) ++missing_leaves_[leave.phase];
}

std::span<const Leave> TokenGate::to_await(std::uint32_t phase) {
    const std::size_t first = next_await_;
    while (next_await_ < program_.needs.size() && program_.needs[next_await_].phase <= phase) ++next_await_;
    return std::span(program_.needs).subspan(first, next_await_ - first);
}

std::span<const Leave> TokenGate::to_give() {
    while (giving_ < missing_bytes_.size() && missing_until_giving_ <= window_bytes_) {
        ++giving_;
        if (giving_ < missing_bytes_.size()) missing_until_giving_ += missing_bytes_[giving_];
    }
    const std::size_t first = next_give_;
    while (next_give_ < program_.gives.size() && program_.gives[next_give_].phase < giving_) ++next_give_;
    return std::span(program_.gives).subspan(first, next_give_ - first);
}

void TokenGate::received(std::uint32_t phase, std::uint64_t bytes) {
    missing_bytes_[phase] -= bytes;
    if (phase <= giving_) missing_until_giving_ -= bytes;
}

bool TokenGate::is_open(std::uint32_t phase) {
    while (open_ < phase && missing_leaves_[open_] == 0) ++open_;
    return open_ >= phase;
}

}  // namespace clearway::schedule
