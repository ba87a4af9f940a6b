// Any plain data whatever as a Schedule: the checker says what is wrong with it, and neither reads past its arrays nor
// hangs. What it finds nothing wrong with moves the right bytes, in any order of events. What an algorithm makes of the
// same problem has no violation. Built and run by tests/fuzz/test_fuzz.py.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "schedule/algorithms.hpp"
#include "schedule/check.hpp"
#include "schedule/testing/byte_run.hpp"

namespace clearway::schedule {
namespace {

// Takes numbers from the input until it is used up, and zeros from there on.
class Input {
public:
    Input(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}

    std::uint8_t byte() { return data_ == end_ ? 0 : *data_++; }
    std::uint32_t below(std::uint32_t limit) { return byte() % limit; }
    // Mostly small, now and then anything.
    std::uint32_t number() {
        const std::uint8_t first = byte();
        if (first < 0xf0) return first % 16;
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i) value = value << 8 | byte();
        return value;
    }
    bool empty() const { return data_ == end_; }

private:
    const std::uint8_t* data_;
    const std::uint8_t* end_;
};

Problem problem_from(Input& input) {
    Problem problem;
    problem.operation = kOperations[input.below(std::size(kOperations))];
    std::vector<std::uint32_t> ranks_on_host(1 + input.below(4));
    for (std::uint32_t& ranks : ranks_on_host) ranks = 1 + input.below(3);
    problem.placement = place_in_blocks(ranks_on_host);
    const std::size_t ranks = ranks_of(problem);
    if (is_on_vector(problem.operation)) {
        problem.root = input.number();
        problem.blocks = input.number();
    }
    const std::size_t blocks = is_uniform(problem.operation)     ? 1
                               : is_on_vector(problem.operation) ? std::min(problem.blocks, 64U)
                               : is_allgather(problem.operation) ? ranks
                                                                 : ranks * ranks;
    for (std::size_t i = 0; i < blocks; ++i) problem.block_bytes.push_back(input.number());
    return problem;
}

Range range_from(Input& input) { return {input.number(), input.number()}; }

// Changes a few things of a Schedule that is right, so that what comes out is wrong in the middle of it.
void spoil(Schedule& schedule, Input& input) {
    while (!input.empty()) {
        Program& program = schedule.programs[input.below(static_cast<std::uint32_t>(schedule.programs.size()))];
        const std::uint32_t at = input.byte();
        Step unused{};
        Step& step = program.steps.empty() ? unused : program.steps[at % program.steps.size()];
        switch (input.below(15)) {
            case 0:
                step.action = static_cast<Action>(input.below(5));
                break;
            case 1:
                step.phase = input.number();
                break;
            case 2:
                step.peer = input.number();
                break;
            case 3:
                step.reads = range_from(input);
                break;
            case 4:
                step.writes = range_from(input);
                break;
            case 5:
                step.after = range_from(input);
                break;
            case 6:
                program.slots.push_back({static_cast<Buffer>(input.below(3)), input.number(), input.number()});
                break;
            case 7:
                if (!program.slots.empty()) program.slots[at % program.slots.size()].first = input.number();
                break;
            case 8:
                if (!program.slots.empty()) program.slots[at % program.slots.size()].count = input.number();
                break;
            case 9:
                program.after.push_back(input.number());
                break;
            case 10:
                program.steps.push_back(step);
                break;
            case 11:
                if (!program.steps.empty()) program.steps.erase(program.steps.begin() + at % program.steps.size());
                break;
            case 12:
                (at % 2 ? program.gives : program.needs).push_back({input.number(), input.number()});
                break;
            case 13:
                schedule.phases = input.byte();
                break;  // its arrays are as long as this says
            default:
                schedule.separation = {kGates[input.below(4)], input.number(), input.number(), input.number()};
        }
    }
}

bool is_small(const Schedule& schedule) {
    std::uint64_t bytes = 0;
    for (const Program& program : schedule.programs)
        for (const Buffer buffer : {Buffer::send, Buffer::receive, Buffer::scratch})
            for (std::uint32_t slot = 0; slot < slots_in(schedule.problem, program, buffer); ++slot)
                if ((bytes += bytes_of_slot(schedule.problem, program.rank, buffer, slot)) > 2000) return false;
    return true;
}

void fail(const Schedule& schedule, const std::string& why) {
    std::fprintf(stderr, "%s: %s\n", schedule.algorithm.c_str(), why.c_str());
    std::abort();
}

void run_once(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const Problem problem = problem_from(input);
    if (!fault_of(problem).empty()) return;
    const Algorithm& algorithm = algorithms()[input.below(static_cast<std::uint32_t>(algorithms().size()))];
    if (!serves(algorithm, problem.operation)) return;
    Schedule schedule = make_schedule(algorithm, problem);
    if (const auto violations = check(schedule); !violations.empty()) fail(schedule, violations.front().sentence);
    if (input.empty()) return;
    const auto seed = static_cast<std::uint32_t>(size);
    spoil(schedule, input);
    if (check(schedule).empty() && is_small(schedule) && ByteRun(schedule, seed).run() != Outcome::right)
        fail(schedule, "passes the checker, and yet moves the wrong bytes or hangs");
}

}  // namespace
}  // namespace clearway::schedule

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    clearway::schedule::run_once(data, size);
    return 0;
}
