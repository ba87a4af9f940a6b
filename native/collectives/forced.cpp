#include "collectives/forced.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "collectives/own_mpi.hpp"
#include "preload/standard_error.hpp"

namespace clearway::collectives {

namespace {

std::atomic<const schedule::Candidate*> forced{nullptr};

// Candidates are never freed: a call on another thread may still run one.
const schedule::Candidate* keep(const schedule::Candidate& candidate) { return new schedule::Candidate(candidate); }

int world_rank() {
    int rank = 0;
    call_real("PMPI_Comm_rank", comm_world(), &rank);
    return rank;
}

void warn_of(const char* text) {
    if (world_rank() != 0) return;
    char words[512];
    const int length =
        std::snprintf(words, sizeof words,
                      "clearway: CLEARWAY_FLOW_ALGORITHM=%.100s is ignored: there is no such algorithm\n"
                      "hint: ALGORITHM[+GATE[:WINDOW]][,chunk:BYTES], such as ordered+token:12000,chunk:8000, or own\n",
                      text);
    if (length > 0) say_on_standard_error(words, static_cast<std::size_t>(length));
}

bool set(const char* text) {
    schedule::Candidate candidate;
    if (text == nullptr || *text == '\0') {
        forced.store(nullptr, std::memory_order_relaxed);
        return true;
    }
    if (!parse(text, candidate)) return false;
    forced.store(keep(candidate), std::memory_order_relaxed);
    return true;
}

bool read_environment() {
    const char* text = std::getenv("CLEARWAY_FLOW_ALGORITHM");
    if (!set(text)) warn_of(text);
    return true;
}

}  // namespace

const schedule::Candidate* forced_candidate() {
    static const bool was_read = read_environment();
    (void)was_read;
    return forced.load(std::memory_order_relaxed);
}

bool force(const char* text) {
    forced_candidate();  // the environment's word comes first, and so cannot undo this one
    return set(text);
}

}  // namespace clearway::collectives
