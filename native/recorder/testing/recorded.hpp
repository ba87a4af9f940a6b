// A process that is recorded, over the made-up MPI: the real wrappers are called, and the record is read back.
#pragma once

#include <gtest/gtest.h>

#include <setjmp.h>

#include <string_view>

#include "mpi/abi.hpp"
#include "recorder/clock.hpp"
#include "recorder/jumps.hpp"
#include "recorder/mpi/comms.hpp"
#include "recorder/mpi/events.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/process.hpp"
#include "recorder/testing/made_up_mpi.hpp"
#include "run_record/testing/read_back.hpp"

namespace clearway::testing {

inline Arg arg(const void* pointer) { return to_arg(pointer); }

// What is recorded stays for the life of the process, so each test has a communicator of its own to look at.
class Recorded : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        if (recorder::recording) return;
        static const Folder folder;
        path() = folder / "rank.cwr";
        detect_abi();
        ASSERT_EQ(abi.abi, Abi::mpich);
        recorder::choose_clock();
        ASSERT_EQ(recorder::process.file.create(path().c_str(), FileKind::rank), 0);
        recorder::process.file.header()->start = recorder::process.file.header()->heartbeat[0] = recorder::now();
        recorder::find_jumps();
        recorder::begin_events();
        recorder::recording = true;
        recorder::this_thread();
        recorder::begin_comms();
        ASSERT_EQ(recorder::process.file.header()->rank, 1);
    }

    // Members by world rank; the calling process is rank `own` among them.
    explicit Recorded(const std::vector<int>& members = {3, 1, 2, 0}, int own = 1) : mpi(made_up_mpi()) {
        mpi.arrivals.clear();
        mpi.completed.clear();
        mpi.result = 0;
        mpi.inside = {};
        comm = 0x1000 + static_cast<int>(number++);
        mpi.comms[comm] = {members, own};
        mpi.next_handle = 1;
        index = recorder::comm_of(comm).index;
    }

    static ReadBack record() { return ReadBack(path()); }

    static std::string_view name_of(std::uint16_t function) { return recorder::wrapped_functions[function].name; }

    // Of calls on this test's communicator.
    std::vector<CallCell> cells(std::string_view function) const {
        std::vector<CallCell> found;
        for (const CallCell& cell : record().elements<CallCell>(SegmentKind::calls))
            if (cell.comm == index && name_of(cell.function) == function) found.push_back(cell);
        return found;
    }
    std::vector<EventRecord> events(EventKind kind) const {
        std::vector<EventRecord> found;
        for (const EventRecord& event : record().elements<EventRecord>(SegmentKind::events))
            if (event.comm == index && event.kind == kind && event.commit == kEventCommitted) found.push_back(event);
        return found;
    }
    // Of all calls, whatever their communicator.
    static std::uint64_t count(std::string_view function) {
        std::uint64_t sum = 0;
        for (const CallCell& cell : record().elements<CallCell>(SegmentKind::calls))
            if (name_of(cell.function) == function) sum += cell.count;
        return sum;
    }

    MadeUpMpi& mpi;
    int comm;
    std::uint16_t index;

private:
    static std::string& path() {
        static std::string path;
        return path;
    }
    static inline unsigned number = 0;
};

}  // namespace clearway::testing
