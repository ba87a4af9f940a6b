// A sound Schedule, broken by hand in each way that the checker knows; and broken by chance in many more.
#include "schedule/check.hpp"

#include <gtest/gtest.h>

#include <random>

#include "schedule/program_builder.hpp"
#include "schedule/testing/byte_run.hpp"
#include "schedule/testing/problems.hpp"

namespace clearway::schedule {
namespace {

Schedule ordered(std::uint32_t ranks, Gate gate = Gate::none) {
    return make_schedule(*find_algorithm("ordered"), problem_of(Operation::alltoall, single_ranks(ranks)),
                         gated_by(gate));
}

Step& step_of(Schedule& schedule, std::uint32_t rank, Action action, std::uint32_t phase) {
    for (Step& step : schedule.programs[rank].steps)
        if (step.action == action && step.phase == phase) return step;
    ADD_FAILURE() << "no such step";
    return schedule.programs[rank].steps[0];
}

Slots& slots_of(Schedule& schedule, std::uint32_t rank, Range range) {
    return schedule.programs[rank].slots[range.first];
}

void remove_step(Program& program, std::uint32_t index) {
    program.steps.erase(program.steps.begin() + index);
    for (Step& step : program.steps) {  // what came after it comes after nothing now; later indices move up
        for (std::uint32_t i = step.after.first; i < step.after.first + step.after.count; ++i)
            if (program.after[i] == index) {
                step.after = {};
                break;
            } else if (program.after[i] > index) {
                --program.after[i];
            }
    }
}

void expect_fault(const Schedule& schedule, Fault fault, std::string_view sentence) {
    std::string all;
    for (const Violation& violation : check(schedule)) {
        if (violation.fault == fault && violation.sentence == sentence) return;
        all += "\n  " + std::string(name_of(violation.fault)) + ": " + violation.sentence;
    }
    ADD_FAILURE() << "not found: " << name_of(fault) << ": " << sentence << "\nfound:" << all;
}

TEST(Check, FindsNothingInASoundSchedule) { EXPECT_TRUE(check(ordered(4)).empty()); }

TEST(Check, FindsPeersThatDoNotExist) {
    Schedule schedule = ordered(4);
    step_of(schedule, 1, Action::send, 0).peer = 4;
    expect_fault(schedule, Fault::malformed, "step 2 of rank 1 has a peer that does not exist");
}

TEST(Check, FindsStepsThatComeAfterLaterOnes) {
    Schedule schedule = ordered(4);
    schedule.programs[2].after[step_of(schedule, 2, Action::send, 1).after.first] = 5;
    expect_fault(schedule, Fault::malformed, "step 5 of rank 2 comes after a step that does not stand before it");
    schedule.programs[2].after[0] = 99;
    EXPECT_EQ(check(schedule).front().fault, Fault::malformed);
}

TEST(Check, FindsSlotsBeyondTheEndOfABuffer) {
    Schedule schedule = ordered(4);
    slots_of(schedule, 0, step_of(schedule, 0, Action::send, 0).reads) = {Buffer::send, 3, ~std::uint32_t{0}};
    expect_fault(schedule, Fault::malformed, "step 2 of rank 0 reaches beyond the end of a buffer");
}

TEST(Check, FindsWritesToTheCallersSendBuffer) {
    Schedule schedule = ordered(4);
    slots_of(schedule, 0, step_of(schedule, 0, Action::receive, 0).writes).buffer = Buffer::send;
    expect_fault(schedule, Fault::malformed, "step 1 of rank 0 writes to the caller's send buffer");
}

TEST(Check, FindsProblemsAndSeparationsWithoutSense) {
    Schedule schedule = ordered(3);
    schedule.problem.block_bytes = {1, 2};
    expect_fault(schedule, Fault::malformed, "alltoall of 3 ranks needs 1 block size, not 2");
    schedule = ordered(3);
    schedule.separation.gate = Gate::credits;
    expect_fault(schedule, Fault::malformed, "credits of 0 bytes let no message pass");
    schedule = ordered(3);
    schedule.programs.pop_back();
    expect_fault(schedule, Fault::malformed, "there are 2 Programs for 3 ranks");
}

TEST(Check, FindsMessagesThatNobodyReceives) {
    Schedule schedule = ordered(3);
    remove_step(schedule.programs[1], 1);
    expect_fault(schedule, Fault::unmatched, "rank 0's send to rank 1 in phase 0 is never received");
    expect_fault(schedule, Fault::deadlock, "rank 0's send to rank 1 in phase 0 begins, but its other end never does");
}

TEST(Check, FindsReceivesWithoutAMessage) {
    Schedule schedule = ordered(3);
    remove_step(schedule.programs[0], 2);
    expect_fault(schedule, Fault::unmatched, "rank 1's receive from rank 0 in phase 0 has no message");
}

TEST(Check, FindsEndsThatDifferInBytes) {
    Schedule schedule = make_schedule(*find_algorithm("direct"), problem_of(Operation::alltoallv, single_ranks(3)));
    schedule.problem.block_bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    slots_of(schedule, 0, step_of(schedule, 0, Action::send, 0).reads).first = 2;
    expect_fault(schedule, Fault::size, "rank 0's send to rank 1 in phase 0 has 3 bytes, its receiver expects 2");
}

TEST(Check, FindsBlocksThatAreCutApart) {
    Schedule schedule =
        make_schedule(*find_algorithm("recursive_doubling"), {Operation::allgatherv, single_ranks(4), {1, 2, 2, 1}});
    EXPECT_TRUE(check(schedule).empty());
    // Rank 2 gives its two blocks in the wrong order: 3 bytes as before, cut in other places.
    Program& giver = schedule.programs[2];
    Step& send = step_of(schedule, 2, Action::send, 1);
    send.reads = {static_cast<std::uint32_t>(giver.slots.size()), 2};
    giver.slots.push_back({Buffer::receive, 3, 1});
    giver.slots.push_back({Buffer::receive, 2, 1});
    expect_fault(schedule, Fault::size,
                 "the blocks of rank 2's send to rank 0 in phase 1 do not fit the slots that take them");
}

// Rank 3 sends in phase 1 what rank 0 receives in phase 0.
Schedule with_late_send(Gate gate) {
    Schedule schedule = ordered(4, gate);
    std::vector<Step>& steps = schedule.programs[3].steps;
    EXPECT_EQ(steps[3].action, Action::join);
    --steps[3].after.count;  // the send stands last there
    std::swap(steps[2], steps[3]);
    steps[3].phase = 1;
    return schedule;
}

TEST(Check, FindsEndsInDifferentPhases) {
    expect_fault(with_late_send(Gate::none), Fault::phase, "rank 3's send to rank 0 in phase 1 is received in phase 0");
}

TEST(Check, FindsStepsBehindALaterPhase) {
    Schedule schedule = ordered(4);
    step_of(schedule, 3, Action::send, 0).phase = 1;
    expect_fault(schedule, Fault::malformed, "step 3 of rank 3 stands behind a step of a later phase");
}

TEST(Check, FindsStepsThatRace) {
    Schedule schedule = make_schedule(*find_algorithm("ring"), problem_of(Operation::allgather, single_ranks(4)));
    step_of(schedule, 1, Action::send, 1).after = {};
    expect_fault(schedule, Fault::race,
                 "rank 1's receive from rank 0 in phase 0 and rank 1's send to rank 2 in phase 1 use the same slot "
                 "in no fixed order");
}

TEST(Check, FindsStepsThatOverlapThemselves) {
    Schedule schedule = make_schedule(*find_algorithm("bruck"), problem_of(Operation::alltoall, single_ranks(4)));
    Step& rotation = step_of(schedule, 0, Action::copy, 0);
    slots_of(schedule, 0, rotation.reads) = {Buffer::scratch, 1, 4};
    expect_fault(schedule, Fault::race, "rank 0's copy in phase 0 writes a slot that it also uses");
}

TEST(Check, FindsSendsThatWaitForEachOther) {
    Schedule schedule = make_schedule(*find_algorithm("pairwise"), problem_of(Operation::alltoall, single_ranks(2)));
    for (Program& program : schedule.programs) {  // MPI_Send, then MPI_Recv, on both sides
        Step receive = program.steps[1];
        program.steps[1] = program.steps[2];
        receive.after = {static_cast<std::uint32_t>(program.after.size()), 1};
        program.after.push_back(1);
        program.steps[2] = receive;
    }
    expect_fault(schedule, Fault::deadlock, "rank 0's send to rank 1 in phase 0 begins, but its other end never does");
    expect_fault(schedule, Fault::deadlock, "rank 1's send to rank 0 in phase 0 begins, but its other end never does");
}

TEST(Check, FindsGatesThatNeverOpen) {
    for (const Gate gate : {Gate::barrier, Gate::token})  // its receiver waits for it before it comes to the gate
        expect_fault(with_late_send(gate), Fault::deadlock,
                     "rank 3's send to rank 0 in phase 1 is never let through by the gate before its phase");
    for (const Violation& violation : check(with_late_send(Gate::none))) EXPECT_NE(violation.fault, Fault::deadlock);
}

// Two messages to one peer, the first of which waits for an answer to the second.
TEST(Check, FindsMessagesThatWouldHaveToOvertake) {
    Schedule schedule;
    schedule.problem = problem_of(Operation::allgather, single_ranks(2), 8);
    const Slots own{Buffer::send, 0, 1};
    ProgramBuilder first(schedule.problem, 0);
    first.reserve_scratch(1);
    const std::uint32_t answer = first.receive(1, incoming(1));
    first.send(1, std::span(&own, 1), answer);
    first.send(1, own);
    ProgramBuilder second(schedule.problem, 1);
    second.receive(0, {Buffer::scratch, second.reserve_scratch(1), 1});
    const Slots into = incoming(0);
    second.send(0, std::span(&own, 1), second.receive(0, into));
    schedule.programs = {first.finish(1), second.finish(1)};
    expect_fault(schedule, Fault::deadlock,
                 "rank 0's receive from rank 1 in phase 0 begins, but its other end never does");
    EXPECT_EQ(ByteRun(schedule, 1).run(), Outcome::hangs);
}

// Rank 0 copies what rank 1 sent after it has rank 2's block, for which it waits until it has rank 1's. A receive that
// may be early must not let the copy come before what comes before the receive.
TEST(Check, HoldsWithReceivesThatCouldBeEarly) {
    Schedule schedule = make_schedule(*find_algorithm("direct"), problem_of(Operation::allgather, single_ranks(3), 8));
    ProgramBuilder program(schedule.problem, 0);
    const Slots aside{Buffer::scratch, program.reserve_scratch(1), 1};
    const Slots from_1 = incoming(1), from_2 = incoming(2);
    program.copy_own_block();
    const std::uint32_t second = program.receive(2, std::span(&from_2, 1), program.receive(1, aside));
    program.copy(std::span(&aside, 1), std::span(&from_1, 1), second);
    for (const std::uint32_t peer : {1U, 2U}) program.send(peer, outgoing(schedule.problem, peer));
    schedule.programs[0] = program.finish(1);
    EXPECT_TRUE(check(schedule).empty());
    for (std::uint32_t seed = 0; seed < 20; ++seed) EXPECT_EQ(ByteRun(schedule, seed).run(), Outcome::right);
}

TEST(Check, FindsLeavesThatAreNotGiven) {
    Schedule schedule = ordered(4, Gate::token);
    ASSERT_TRUE(check(schedule).empty());
    schedule.programs[2].gives.erase(schedule.programs[2].gives.begin());
    expect_fault(schedule, Fault::unmatched,
                 "the leave of rank 2 to rank 0 at the end of phase 0 is waited for and never given");
}

TEST(Check, FindsLeavesOfNobody) {
    Schedule schedule = ordered(4, Gate::token);
    schedule.programs[1].needs.push_back({0, 9});
    expect_fault(schedule, Fault::malformed, "rank 1 has a leave with a peer that does not exist");
}

TEST(Check, FindsSlotsReadBeforeTheyAreSet) {
    Schedule schedule = make_schedule(*find_algorithm("ring"), problem_of(Operation::allgather, single_ranks(4)));
    slots_of(schedule, 1, step_of(schedule, 1, Action::send, 0).reads).first = 2;
    expect_fault(schedule, Fault::unset,
                 "rank 1's send to rank 2 in phase 0 reads slot 2 of its receive buffer before it is written");
}

TEST(Check, FindsBlocksInTheWrongPlace) {
    Schedule schedule = ordered(3);
    std::swap(slots_of(schedule, 0, step_of(schedule, 0, Action::send, 0).reads).first,
              slots_of(schedule, 0, step_of(schedule, 0, Action::send, 1).reads).first);
    expect_fault(schedule, Fault::misplaced,
                 "rank 1 has rank 0's block for rank 2 where rank 0's block for rank 1 belongs");
}

TEST(Check, FindsBlocksThatNeverArrive) {
    Schedule schedule = ordered(3);
    remove_step(schedule.programs[1], 2);  // the send to rank 2, and its receive
    remove_step(schedule.programs[2], 1);
    expect_fault(schedule, Fault::missing, "rank 1's block for rank 2 never arrives");
}

TEST(Check, FindsBlocksThatArriveTwice) {
    Schedule schedule = ordered(3);
    slots_of(schedule, 1, step_of(schedule, 1, Action::receive, 1).writes).first = 0;
    expect_fault(schedule, Fault::twice,
                 "rank 1's receive from rank 2 in phase 1 writes again where rank 0's block was put before");
    expect_fault(schedule, Fault::missing, "rank 2's block for rank 1 never arrives");
}

Schedule doubling(std::uint32_t ranks) {
    const Algorithm& algorithm = *find_algorithm("recursive_doubling");
    return make_schedule(algorithm, vector_problem(algorithm, Operation::allreduce, single_ranks(ranks), 64));
}

TEST(Check, FindsPartsThatEnterTwice) {
    Schedule schedule = doubling(4);
    EXPECT_TRUE(check(schedule).empty());
    // Rank 1 reads what it has reduced already, its neighbour's part too, in place of what came.
    slots_of(schedule, 1, step_of(schedule, 1, Action::reduce, 1).reads).buffer = Buffer::receive;
    expect_fault(schedule, Fault::twice, "rank 1's reduce in phase 1 adds rank 0's part of block 0 again");
}

TEST(Check, FindsPartsThatNeverEnter) {
    Schedule schedule = doubling(4);
    step_of(schedule, 2, Action::reduce, 1).action = Action::copy;
    expect_fault(schedule, Fault::missing, "rank 2's part of block 0 never enters what rank 2 gets");
}

TEST(Check, FindsBlocksThatAreCombinedWithOthers) {
    const Algorithm& algorithm = *find_algorithm("ring");
    Schedule schedule = make_schedule(algorithm, vector_problem(algorithm, Operation::allreduce, single_ranks(3), 300));
    slots_of(schedule, 0, step_of(schedule, 0, Action::reduce, 0).reads).first = 2;
    expect_fault(schedule, Fault::misplaced, "rank 0's reduce in phase 0 combines block 2 with block 1");
}

TEST(Check, FindsReductionsThatRaceWithASend) {
    Schedule schedule = doubling(4);
    Step& reduce = step_of(schedule, 0, Action::reduce, 0);
    ASSERT_EQ(reduce.after.count, 2U);  // the receive, and the send
    reduce.after.count = 1;
    expect_fault(
        schedule, Fault::race,
        "rank 0's send to rank 1 in phase 0 and rank 0's reduce in phase 0 use the same slot in no fixed order");
}

TEST(Check, FindsReductionsWhereBlocksAreOnlyMoved) {
    Schedule schedule = ordered(3);
    step_of(schedule, 0, Action::copy, 0).action = Action::reduce;
    expect_fault(schedule, Fault::malformed, "step 0 of rank 0 combines blocks of an operation that only moves them");
}

TEST(Check, FindsBarriersThatHearNotOfAll) {
    const Algorithm& algorithm = *find_algorithm("dissemination");
    Schedule schedule = make_schedule(algorithm, problem_of(Operation::barrier, single_ranks(6)));
    EXPECT_TRUE(check(schedule).empty());  // each hears of some ranks twice
    step_of(schedule, 3, Action::reduce, 2).action = Action::copy;
    expect_fault(schedule, Fault::missing, "rank 0's part of block 0 never enters what rank 3 gets");
}

TEST(Check, FindsPortsThatCarryMoreThanPromised) {
    const auto shared = place_in_blocks({2, 2, 2});
    Schedule schedule = make_schedule(*find_algorithm("ordered"), problem_of(Operation::alltoall, shared));
    EXPECT_TRUE(check(schedule).empty());
    schedule.port_use = PortUse::one_message;
    expect_fault(schedule, Fault::port, "in phase 1 the port of host 0 sends 2 messages; the algorithm promises one");
    schedule.port_use = PortUse::one_host;
    expect_fault(schedule, Fault::port,
                 "in phase 2 the port of host 0 sends messages of several hosts; the algorithm promises those of one");
    schedule = make_schedule(*find_algorithm("lam"), problem_of(Operation::alltoall, single_ranks(3)));
    schedule.port_use = PortUse::one_message;
    expect_fault(schedule, Fault::port,
                 "in phase 0 the port of host 2 receives 2 messages; the algorithm promises one");
}

TEST(Check, TellsTheFirstFewOfAKind) {
    Schedule schedule = ordered(12);
    for (Program& program : schedule.programs) program.steps.clear();
    const std::vector<Violation> violations = check(schedule);
    ASSERT_EQ(violations.size(), 9U);
    EXPECT_EQ(violations.back().sentence, "136 more of the kind 'missing'");
}

// One change by chance: another peer, slot, order, phase or action, or a dependency less.
void mutate(Schedule& schedule, std::mt19937& random) {
    Program& program = schedule.programs[random() % schedule.programs.size()];
    Step& step = program.steps[random() % program.steps.size()];
    Slots& slots = program.slots[random() % program.slots.size()];
    const auto ranks = static_cast<std::uint32_t>(schedule.programs.size());
    switch (random() % 6) {
        case 0:
            step.peer = static_cast<std::uint32_t>(random()) % ranks;
            break;
        case 1:
            slots.first = static_cast<std::uint32_t>(random()) % ranks;
            break;
        case 2:
            slots.buffer = static_cast<Buffer>(random() % 3);
            break;
        case 3:
            step.after.count = 0;
            break;
        case 4:
            std::swap(step, program.steps[random() % program.steps.size()]);
            break;
        default:
            slots.count = static_cast<std::uint32_t>(random()) % 3;
    }
}

// The checker may find fault with what happens to work, but must never approve of what does not.
TEST(Check, ApprovesOfNothingThatFailsOnBytes) {
    std::mt19937 random(20070000);
    std::uint32_t approved = 0;
    std::uint32_t refused = 0;
    for (int round = 0; round < 6000; ++round) {
        const Algorithm& algorithm = algorithms()[random() % algorithms().size()];
        const Operation operation = algorithm.operations[random() % algorithm.operations.size()];
        const auto ranks = static_cast<std::uint32_t>(2 + random() % 5);
        const std::vector<Placement> placements = placements_of(ranks);
        Schedule schedule =
            make_schedule(algorithm, problem_of(operation, placements[random() % placements.size()], 2));
        for (std::uint64_t changes = 1 + random() % 2; changes > 0; --changes) mutate(schedule, random);
        if (!check(schedule).empty()) {
            ++refused;
            continue;
        }
        ++approved;
        for (std::uint32_t seed = 0; seed < 4; ++seed)
            ASSERT_EQ(ByteRun(schedule, seed).run(), Outcome::right) << words_of(schedule) << " in round " << round;
    }
    EXPECT_GT(approved, 100U);
    EXPECT_GT(refused, 2000U);
}

}  // namespace
}  // namespace clearway::schedule
