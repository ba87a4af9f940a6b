#include "collectives/selector.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/candidates_for.hpp"
#include "collectives/course.hpp"
#include "collectives/flow_record.hpp"
#include "collectives/own_mpi.hpp"
#include "collectives/table.hpp"
#include "collectives/trial.hpp"

namespace clearway {

namespace {

// Each distinct size has a course of its own until there are so many; further sizes share one by powers of two.
constexpr std::size_t kMostExactSizes = 64;

struct Kind {
    schedule::Operation operation;
    std::uint64_t low_bytes, high_bytes;

    bool holds(schedule::Operation of, std::uint64_t bytes) const {
        return operation == of && low_bytes <= bytes && bytes <= high_bytes;
    }
    bool is_just(schedule::Operation of, std::uint64_t bytes) const {
        return operation == of && low_bytes == bytes && high_bytes == bytes;
    }
};

Kind exact_size(schedule::Operation operation, std::uint64_t bytes) { return {operation, bytes, bytes}; }

Kind size_class(schedule::Operation operation, std::uint64_t bytes) {
    const std::uint64_t low = std::bit_floor(bytes);
    return {operation, low, low == 0 ? 0 : 2 * low - 1};
}

std::uint32_t next_number() {
    static std::atomic<std::uint32_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

struct Courses {
    struct Entry {
        Kind kind;
        std::unique_ptr<Course> course;
    };
    std::vector<Entry> entries;  // exact sizes before classes, and so found first
    std::size_t last = 0;        // index of the entry of the last call
    std::uint32_t number = 0;    // of this communicator in the record
    const FlowTable* table = nullptr;
};

namespace {

// Replaces each value by the largest of all ranks. False where that fails.
template <std::size_t Count>
bool agree_on_largest(const Group& group, std::uint64_t (&values)[Count]) {
    const OwnMpi* mpi = own_mpi();
    return mpi != nullptr &&
           mpi->allreduce(abi.in_place, to_arg(values), Count, mpi->uint64, mpi->max, group.comm) == kMpiSuccess;
}

// The table of the environment where all ranks read the same one.
const FlowTable* agreed_table(const Group& group) {
    const FlowTable& table = table_of_environment(group.rank == 0);
    std::uint64_t bounds[] = {table.hash, ~table.hash};
    if (!agree_on_largest(group, bounds)) return nullptr;
    if (bounds[0] != ~bounds[1]) {
        if (group.rank == 0)
            std::fputs(
                "clearway: no flow table is used, since not all ranks read the same\n"
                "hint: put it on a file system that all nodes see\n",
                stderr);
        return nullptr;
    }
    return table.lines.empty() ? nullptr : &table;
}

Courses* make_courses(const Group& group) {
    auto* courses = new Courses;
    courses->number = next_number();
    courses->table = agreed_table(group);
    return courses;
}

// Where `wanted` stands among the candidates; if it does not, it comes before the MPI's own.
std::uint32_t index_of(std::vector<Candidate>& candidates, const Candidate& wanted) {
    const std::string text = text_of(wanted);
    for (std::uint32_t i = 0; i < candidates.size(); ++i)
        if (text_of(candidates[i]) == text) return i;
    candidates.insert(candidates.end() - 1, wanted);
    return static_cast<std::uint32_t>(candidates.size() - 2);
}

Course begin_course(const Group& group, const Courses& courses, const Kind& kind) {
    auto candidates = candidates_for(group.placement, kind.operation, kind.high_bytes);
    const TableLine* line =
        courses.table == nullptr
            ? nullptr
            : nearest_line(*courses.table, kind.operation, schedule::ranks_of(group.placement),
                           schedule::hosts_of(group.placement), judged_bytes(kind.operation, kind.high_bytes));
    if (line == nullptr)
        return make_course(candidates, outlook_for(group.placement, kind.operation, kind.high_bytes, candidates));
    const std::uint32_t index = index_of(candidates, line->candidate);
    return make_settled_course(candidates, index);
}

template <std::size_t Size>
void copy_text(char (&to)[Size], std::string_view from) {
    const std::size_t length = std::min(from.size(), Size - 1);
    std::memcpy(to, from.data(), length);
    std::memset(to + length, 0, Size - length);
}

void write_results(Course& course) {
    for (std::uint32_t i = 0; i < course.tried.size(); ++i) {
        FlowCell* cell = course.tried[i].cell;
        if (cell == nullptr) continue;
        cell->time_ns = course.tried[i].agreed_ns;
        cell->chosen = i == course.leader && (course.leader_ns != 0 || !is_in_trial(course)) ? 1 : 0;
        cell->challenges = course.challenges;
    }
}

void begin_record(const Group& group, const Courses& courses, const Kind& kind, Course& course) {
    if (group.rank != 0) return;
    FlowCell cell{};
    copy_text(cell.operation, schedule::name_of(kind.operation));
    cell.low_bytes = kind.low_bytes;
    cell.high_bytes = kind.high_bytes;
    cell.course = next_number();
    cell.comm = courses.number;
    cell.ranks = schedule::ranks_of(group.placement);
    cell.hosts = schedule::hosts_of(group.placement);
    for (Tried& each : course.tried) {
        copy_text(cell.candidate, text_of(each.candidate));
        each.cell = add_flow_cell(cell);
    }
    write_results(course);
}

std::size_t add_course(const Group& group, Courses& courses, schedule::Operation operation, std::uint64_t bytes) {
    const bool exact = courses.entries.size() < kMostExactSizes;
    const Kind kind = exact ? exact_size(operation, bytes) : size_class(operation, bytes);
    auto course = std::make_unique<Course>(begin_course(group, courses, kind));
    begin_record(group, courses, kind, *course);
    courses.entries.push_back({kind, std::move(course)});
    return courses.entries.size() - 1;
}

std::size_t look_up(const Group& group, Courses& courses, schedule::Operation operation, std::uint64_t bytes) {
    for (std::size_t i = 0; i < courses.entries.size(); ++i)
        if (courses.entries[i].kind.holds(operation, bytes)) return i;
    return add_course(group, courses, operation, bytes);
}

}  // namespace

Choice choose(Group& group, schedule::Operation operation, std::uint64_t block_bytes) {
    if (group.courses == nullptr) group.courses = make_courses(group);
    Courses& courses = *group.courses;
    // A class may hold sizes that have a course of their own: only an exact match spares the search.
    if (courses.entries.empty() || !courses.entries[courses.last].kind.is_just(operation, block_bytes))
        courses.last = look_up(group, courses, operation, block_bytes);
    Course& course = *courses.entries[courses.last].course;
    const Tried& way = course.tried[course.current];
    if (way.cell != nullptr) ++way.cell->calls;
    if (course.unwatched_calls == 0) return {&way.candidate, &course};
    --course.unwatched_calls;
    return {&way.candidate, nullptr};
}

void learn(Group& group, const Choice& choice, std::uint64_t elapsed_ns) {
    Course& course = *choice.course;
    if (!note(course, elapsed_ns)) return;
    std::uint64_t figure[] = {course.offered_ns};
    if (agree_on_largest(group, figure)) {
        course.offered_ns = figure[0];
        agreed(course);
    } else {
        give_up(course);
    }
    write_results(course);
}

void destroy(Courses* courses) { delete courses; }

}  // namespace clearway
