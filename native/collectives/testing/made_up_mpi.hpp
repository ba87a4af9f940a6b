// An MPI for tests: ranks of one process that exchange messages through queues. Some messages go at once, others wait
// for their receive; what has ended is told in any order, a part at a time.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <random>
#include <vector>

#include "collectives/own_mpi.hpp"

namespace clearway::collectives {

class MadeUpMpi {
public:
    // Of one rank; its address is the handle of its communicator.
    struct Rank {
        MadeUpMpi* world;
        std::uint32_t number;
    };

    explicit MadeUpMpi(std::uint32_t ranks, std::uint32_t seed = 1) : random_(seed), before_(abi) {
        abi = {};
        abi.abi = Abi::open_mpi;
        abi.status_bytes = 24;
        abi.status_tag = 4;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) ranks_.push_back({this, rank});
        functions_.isend = [](Arg buffer, Arg count, Arg, Arg peer, Arg tag, Arg comm, Arg request) {
            Rank& rank = *reinterpret_cast<Rank*>(comm);
            return rank.world->post({.from = rank.number,
                                     .to = number(peer),
                                     .tag = tag,
                                     .data = bytes_at(buffer),
                                     .bytes = static_cast<std::size_t>(count),
                                     .is_send = true},
                                    request);
        };
        functions_.irecv = [](Arg buffer, Arg count, Arg, Arg peer, Arg tag, Arg comm, Arg request) {
            Rank& rank = *reinterpret_cast<Rank*>(comm);
            return rank.world->post({.from = number(peer),
                                     .to = rank.number,
                                     .tag = tag,
                                     .data = bytes_at(buffer),
                                     .bytes = static_cast<std::size_t>(count)},
                                    request);
        };
        functions_.ibarrier = [](Arg comm, Arg request) {
            Rank& rank = *reinterpret_cast<Rank*>(comm);
            return rank.world->enter_barrier(rank.number, request);
        };
        functions_.waitsome = [](Arg count, Arg requests, Arg completed, Arg indices, Arg statuses) {
            return take_some(true, count, requests, completed, indices, statuses);
        };
        functions_.testsome = [](Arg count, Arg requests, Arg completed, Arg indices, Arg statuses) {
            return take_some(false, count, requests, completed, indices, statuses);
        };
        functions_.cancel = [](Arg request) {
            Request& given_up = request_at(request, 0);
            const std::lock_guard lock(given_up.world->mutex_);
            ++given_up.world->cancelled;
            given_up.is_posted = false;
            given_up.is_done = true;
            return kMpiSuccess;
        };
        functions_.request_free = [](Arg) { return kMpiSuccess; };
        functions_.handle_bytes = sizeof(Arg);
    }
    ~MadeUpMpi() { abi = before_; }
    MadeUpMpi(const MadeUpMpi&) = delete;
    MadeUpMpi& operator=(const MadeUpMpi&) = delete;

    const OwnMpi& functions() const { return functions_; }
    Arg comm(std::uint32_t rank) { return to_arg(&ranks_[rank]); }

    static inline thread_local bool is_inside = false;  // the calling thread

    // What tests look at and lay down.
    std::function<int(bool is_send)> on_post = [](bool) { return kMpiSuccess; };  // what a post returns
    std::function<void()> on_wait = [] {};
    std::size_t longest_at_once = 0;  // longer messages wait for their receive
    std::uint32_t sends = 0, receives = 0, cancelled = 0;
    int status_error = kMpiSuccess;  // of whatever ends next

private:
    struct Inside {
        Inside() { is_inside = true; }
        ~Inside() { is_inside = false; }
    };
    struct Request {
        std::uint32_t from = 0, to = 0;
        Arg tag = 0;
        std::byte* data = nullptr;
        std::size_t bytes = 0;
        bool is_send = false;
        MadeUpMpi* world = nullptr;
        std::vector<std::byte> gone{};  // a message that did not wait
        bool is_posted = true;          // and has met none
        bool is_done = false;
    };

    static std::uint32_t number(Arg arg) { return static_cast<std::uint32_t>(arg); }
    static std::byte* bytes_at(Arg arg) { return reinterpret_cast<std::byte*>(arg); }
    static Request& request_at(Arg requests, Arg index) { return **(reinterpret_cast<Request**>(requests) + index); }

    int post(Request request, Arg handle) {
        const Inside inside;
        const std::lock_guard lock(mutex_);
        if (const int code = on_post(request.is_send); code != kMpiSuccess) return code;
        ++(request.is_send ? sends : receives);
        request.world = this;
        requests_.push_back(std::move(request));
        Request& own = requests_.back();
        *reinterpret_cast<Request**>(handle) = &own;
        if (own.is_send && own.bytes <= longest_at_once) {
            if (own.bytes != 0) own.gone.assign(own.data, own.data + own.bytes);
            own.is_done = true;
        }
        const auto other = std::ranges::find_if(requests_, [&](const Request& each) {
            return each.is_posted && each.is_send != own.is_send && each.from == own.from && each.to == own.to &&
                   each.tag == own.tag;
        });
        if (other != requests_.end()) own.is_send ? meet(own, *other) : meet(*other, own);
        ended_.notify_all();
        return kMpiSuccess;
    }

    static void meet(Request& send, Request& receive) {
        const std::byte* const from = send.gone.empty() ? send.data : send.gone.data();
        receive.bytes = std::min(receive.bytes, send.bytes);
        if (receive.bytes != 0) std::memcpy(receive.data, from, receive.bytes);
        send.is_posted = receive.is_posted = false;
        send.is_done = receive.is_done = true;
    }

    int enter_barrier(std::uint32_t rank, Arg handle) {
        const Inside inside;
        const std::lock_guard lock(mutex_);
        requests_.push_back({.from = rank, .to = rank, .tag = -1, .world = this, .is_posted = false});
        *reinterpret_cast<Request**>(handle) = &requests_.back();
        in_barrier_.push_back(&requests_.back());
        if (in_barrier_.size() == ranks_.size()) {
            for (Request* each : in_barrier_) each->is_done = true;
            in_barrier_.clear();
            ended_.notify_all();
        }
        return kMpiSuccess;
    }

    static int take_some(bool waits, Arg count, Arg requests, Arg completed, Arg indices, Arg statuses) {
        const Inside inside;
        MadeUpMpi& world = *request_at(requests, 0).world;
        std::unique_lock lock(world.mutex_);
        world.on_wait();
        std::vector<int> done;
        const auto look = [&] {
            done.clear();
            for (int i = 0; i < static_cast<int>(count); ++i)
                if (request_at(requests, i).is_done) done.push_back(i);
            return !done.empty();
        };
        if (waits) world.ended_.wait(lock, look);
        look();
        std::ranges::shuffle(done, world.random_);
        if (!done.empty()) done.resize(1 + world.random_() % done.size());
        *reinterpret_cast<int*>(completed) = static_cast<int>(done.size());
        for (std::size_t i = 0; i < done.size(); ++i) {
            reinterpret_cast<int*>(indices)[i] = done[i];
            std::byte* const status = bytes_at(statuses) + i * 24;
            std::memset(status, 0, 24);
            std::memcpy(status + 8, &world.status_error, sizeof world.status_error);
            std::memcpy(status + 16, &request_at(requests, done[i]).bytes, sizeof(std::size_t));
        }
        constexpr int kErrorInStatus = 18;
        if (world.status_error != kMpiSuccess && !done.empty()) return kErrorInStatus;
        for (const int index : done) reinterpret_cast<Request**>(requests)[index] = nullptr;
        return kMpiSuccess;
    }

    OwnMpi functions_{};
    std::deque<Rank> ranks_;
    std::list<Request> requests_;  // all there ever were
    std::vector<Request*> in_barrier_;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::minstd_rand random_;
    const AbiConstants before_;
};

}  // namespace clearway::collectives
