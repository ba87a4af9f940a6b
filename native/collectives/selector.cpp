#include "collectives/selector.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/agreement.hpp"
#include "collectives/candidates_for.hpp"
#include "collectives/earlier_jobs.hpp"
#include "collectives/flow_record.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/reserve.hpp"
#include "collectives/size_range.hpp"
#include "collectives/table.hpp"
#include "collectives/trial.hpp"
#include "collectives/trial_cost.hpp"

namespace clearway::collectives {

struct Trials {
    struct Entry {
        SizeRange sizes;
        std::unique_ptr<Trial> trial;
    };
    std::vector<Entry> entries;  // exact sizes before classes, and so found first
    std::size_t last = 0;        // index of the entry of the last call
    std::uint32_t number = 0;    // of this communicator in the record
    std::uint32_t rank = 0, ranks = 0, hosts = 0;
    const FlowTable* table = nullptr;
    FlowTable remembered;  // by earlier jobs
};

namespace {

// What rank 0 remembers of earlier jobs, as the words of an agreement.
struct Shared {
    static constexpr std::size_t kMostBytes = 16384;
    std::array<std::uint64_t, kMostBytes / 8> words{};
    std::uint64_t bytes = 0;
};

Shared shared_memory(const Group& group) {
    Shared shared;
    if (group.rank != 0) return shared;
    std::string text = remembered_lines(schedule::ranks_of(group.placement), schedule::hosts_of(group.placement));
    if (text.size() > Shared::kMostBytes) text.resize(text.rfind('\n', Shared::kMostBytes - 1) + 1);
    std::memcpy(shared.words.data(), text.data(), text.size());
    shared.bytes = text.size();
    return shared;
}

// All ranks know what rank 0 does: the others hold zeros, and the largest counts.
FlowTable spread(const Group& group, Shared& shared) {
    const OwnMpi* mpi = own_mpi();
    const auto count = static_cast<Arg>((shared.bytes + 7) / 8);
    if (count == 0 || mpi == nullptr ||
        mpi->allreduce(abi.in_place, to_arg(shared.words.data()), count, mpi->uint64, mpi->max, group.comm) !=
            kMpiSuccess)
        return {};
    FlowTable table;
    with_reserve([&] {  // the ranks have spoken: this one cannot begin anew
        std::string text(kTableTitle), fault;
        text += '\n';
        text.append(reinterpret_cast<const char*>(shared.words.data()), shared.bytes);
        table = {};
        if (!parse_table(text, table, fault)) table = {};
    });
    return table;
}

// From the environment's table where all ranks read the same one, or else from earlier jobs.
void find_tables(const Group& group, Trials& trials) {
    const FlowTable& table = table_of_environment(group.rank == 0);
    Shared shared = table.lines.empty() ? shared_memory(group) : Shared{};
    std::uint64_t bounds[] = {table.hash, ~table.hash, shared.bytes};
    if (!agree_on_largest(group.comm, bounds)) return;
    if (bounds[0] != ~bounds[1]) {
        if (group.rank == 0)
            std::fputs(
                "clearway: the flow table is not used, because not all ranks read the same one\n"
                "hint: put it on a file system that all nodes see\n",
                stderr);
        return;
    }
    shared.bytes = bounds[2];
    if (!table.lines.empty()) trials.table = &table;
    trials.remembered = spread(group, shared);
}

Trials* make_trials(const Group& group) {
    auto* trials = new Trials;
    trials->number = next_flow_number();
    trials->rank = group.rank;
    trials->ranks = schedule::ranks_of(group.placement);
    trials->hosts = schedule::hosts_of(group.placement);
    find_tables(group, *trials);
    return trials;
}

// Where `wanted` stands among the candidates; if it does not, it comes before the MPI's own.
std::uint32_t index_of(std::vector<schedule::Candidate>& candidates, const schedule::Candidate& wanted) {
    const std::string text = text_of(wanted);
    for (std::uint32_t i = 0; i < candidates.size(); ++i)
        if (text_of(candidates[i]) == text) return i;
    candidates.insert(candidates.end() - 1, wanted);
    return static_cast<std::uint32_t>(candidates.size() - 2);
}

const TableLine* line_for(const FlowTable& table, const Trials& trials, const SizeRange& sizes) {
    return nearest_line(table, sizes.operation, trials.ranks, trials.hosts,
                        judged_bytes(sizes.operation, sizes.high_bytes));
}

// A size twice as large or small may want another way.
bool is_near(const TableLine& line, const SizeRange& sizes) {
    const std::uint64_t bytes = judged_bytes(sizes.operation, sizes.high_bytes);
    return line.block_bytes / 2 <= bytes && bytes / 2 <= line.block_bytes;
}

// An earlier job says where to begin, and which other ways are hardly worth a look.
void begin_as_before(const TableLine& line, std::vector<schedule::Candidate>& candidates, Outlook& outlook) {
    outlook.began = Beginning::earlier_job;
    outlook.first = index_of(candidates, line.candidate);
    outlook.expected_percent.assign(candidates.size(), 0);
    for (std::size_t i = 0; i < candidates.size(); ++i)
        for (const Rival& rival : line.rivals)
            if (text_of(rival.candidate) == text_of(candidates[i])) outlook.expected_percent[i] = rival.percent;
}

Trial begin_trial(const Group& group, const Trials& trials, const SizeRange& sizes) {
    auto candidates = candidates_for(group.placement, sizes.operation, sizes.high_bytes);
    if (trials.table != nullptr)
        if (const TableLine* line = line_for(*trials.table, trials, sizes); line != nullptr)
            return make_settled_trial(candidates, index_of(candidates, line->candidate));
    Outlook outlook = outlook_for(group.placement, sizes.operation, sizes.high_bytes, candidates);
    if (const TableLine* line = line_for(trials.remembered, trials, sizes); line != nullptr && is_near(*line, sizes))
        begin_as_before(*line, candidates, outlook);
    return make_trial(candidates, outlook);
}

// What the next job shall know: nothing where no two ways were measured, for then this one learnt nothing, nor where a
// few calls alone speak for the leader.
bool has_learnt(const Trial& trial) {
    if (trial.leader_ns == 0 || trial.is_new_leader || trial.began == Beginning::table) return false;
    return std::ranges::count_if(trial.tried, [](const Tried& way) { return way.agreed_ns != 0; }) > 1;
}

TableLine line_of(const Trials& trials, const SizeRange& sizes, const Trial& trial) {
    TableLine line{sizes.operation,
                   trials.ranks,
                   trials.hosts,
                   judged_bytes(sizes.operation, sizes.high_bytes),
                   trial.tried[trial.leader].candidate,
                   {}};
    for (std::uint32_t i = 0; i < trial.tried.size(); ++i) {
        const Tried& way = trial.tried[i];
        constexpr std::uint64_t kMostPercent = 100'000;
        const std::uint64_t percent = way.agreed_ns != 0 ? way.agreed_ns * 100 / trial.leader_ns : way.expected_percent;
        if (i != trial.leader && percent != 0)
            line.rivals.push_back({way.candidate, static_cast<std::uint32_t>(std::min(percent, kMostPercent))});
    }
    return line;
}

void write_results(Trial& trial) {
    for (std::uint32_t i = 0; i < trial.tried.size(); ++i) {
        FlowCell* cell = trial.tried[i].cell;
        if (cell == nullptr) continue;
        cell->time_ns = trial.tried[i].agreed_ns;
        cell->chosen = i == trial.leader && (trial.leader_ns != 0 || is_over(trial)) ? 1 : 0;
        cell->challenges = trial.challenges;
    }
    if (trial.record == nullptr) return;
    trial.record->is_over = is_over(trial) ? 1 : 0;
    trial.record->calls_elsewhere = calls_elsewhere(trial);
    trial.record->regret_ns = regret_ns(trial);
}

void begin_record(const Group& group, const Trials& trials, const SizeRange& sizes, Trial& trial) {
    if (group.rank != 0) return;
    const FlowCell cell = flow_cell_of(group, trials.number, sizes);
    for (Tried& each : trial.tried) each.cell = add_flow_cell(cell, each.candidate);
    FlowTrial cost{};
    cost.trial = cell.trial;
    cost.began = static_cast<std::uint32_t>(trial.began);
    trial.record = add_flow_trial(cost);
    write_results(trial);
}

std::size_t add_trial(const Group& group, Trials& trials, schedule::Operation operation, std::uint64_t bytes) {
    const SizeRange sizes = range_for(operation, bytes, trials.entries.size());
    auto trial = std::make_unique<Trial>(begin_trial(group, trials, sizes));
    begin_record(group, trials, sizes, *trial);
    trials.entries.push_back({sizes, std::move(trial)});
    return trials.entries.size() - 1;
}

std::size_t look_up(const Group& group, Trials& trials, schedule::Operation operation, std::uint64_t bytes) {
    for (std::size_t i = 0; i < trials.entries.size(); ++i)
        if (trials.entries[i].sizes.holds(operation, bytes)) return i;
    return add_trial(group, trials, operation, bytes);
}

}  // namespace

Choice choose(Group& group, schedule::Operation operation, std::uint64_t block_bytes) {
    if (group.trials == nullptr) {
        group.trials = make_trials(group);
        group.destroy_trials = [](Trials* trials) {
            remember_all(*trials);
            delete trials;
        };
    }
    Trials& trials = *group.trials;
    // A class may hold sizes that have a trial of their own: only an exact match spares the search.
    if (trials.entries.empty() || !trials.entries[trials.last].sizes.is_just(operation, block_bytes))
        trials.last = look_up(group, trials, operation, block_bytes);
    Trial& trial = *trials.entries[trials.last].trial;
    const Tried& way = trial.tried[trial.current];
    if (way.cell != nullptr) ++way.cell->calls;
    if (trial.unwatched_calls == 0) return {&way.candidate, &trial};
    --trial.unwatched_calls;
    return {&way.candidate, nullptr};
}

void learn(Group& group, const Choice& choice, std::uint64_t elapsed_ns) {
    Trial& trial = *choice.trial;
    if (!note(trial, elapsed_ns)) return;
    std::uint64_t figure[] = {trial.offered_ns};
    if (agree_on_largest(group.comm, figure)) {
        trial.offered_ns = figure[0];
        agreed(trial);
    } else {
        give_up(trial);
    }
    write_results(trial);
}

void remember_all(const Trials& trials) {
    if (trials.rank != 0) return;
    for (const Trials::Entry& entry : trials.entries)
        if (has_learnt(*entry.trial)) remember(line_of(trials, entry.sizes, *entry.trial));
}

}  // namespace clearway::collectives
