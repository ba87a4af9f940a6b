// The miss-ratio curve (Mattson, Gecsei, Slutz, Traiger 1970, "Evaluation techniques for storage hierarchies"): what
// caches of other sizes would have done with the same reads and writes, while the job runs.
//
// Small caches stand for large ones (Waldspurger et al. 2017, "miniature simulations"): of all records a sample is
// followed, chosen by a hash of its name (SHARDS, Waldspurger et al. 2015), through the same policy with as much less
// memory. The sample is halved when it grows too large, so neither memory nor time grow with the files.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "io_cache/policy/policy.hpp"

namespace clearway::io_cache {

struct SizePoint {
    std::uint64_t size_bytes = 0;
    std::uint64_t fetched_records = 0;  // read from files
    std::uint64_t stored_records = 0;   // written to them
};

class MissRatioCurve {
public:
    static constexpr int kSizes = 16;
    struct Points {
        std::array<SizePoint, kSizes + 1> at;
        int count = 0;
    };

    // False: there is no memory.
    bool allocate(std::string_view policy, std::uint32_t record_bytes);

    void use(RecordKey key, bool part, bool writes);
    void flush(std::uint32_t file);
    void cut(RecordKey first);  // what lies there and beyond in its file is gone
    void drop(std::uint32_t file);

    // From small to large. The last is the size with which nothing would have been evicted.
    Points points() const;

private:
    // A record of the sample: in each simulation it has the frame of this number.
    using Slot = FrameId;
    static constexpr std::uint32_t kSlots = 1024;
    static constexpr std::uint32_t kBuckets = 2 * kSlots;

    struct Simulation {
        std::unique_ptr<Policy> policy;
        std::array<bool, kSlots + 1> present{}, dirty{};
        std::uint32_t count = 0;
        std::uint64_t fetched = 0, stored = 0;  // of all records, as the sample has it
    };

    bool sampled(RecordKey key) const;
    std::uint64_t weight() const { return std::uint64_t{1} << halvings_; }  // records that one of the sample stands for
    std::uint32_t capacity(int size) const;
    Slot& bucket_of(RecordKey key);
    Slot find(RecordKey key);
    Slot add(RecordKey key);
    void remove(Slot slot);
    void halve();
    void use_in(Simulation& simulation, std::uint32_t capacity, Slot slot, bool part, bool writes);
    void drop_from(Simulation& simulation, Slot slot);

    std::uint32_t record_bytes_ = 0;
    int halvings_ = 0;  // of the sample; at first all records are in it
    std::array<Simulation, kSizes> simulations_;
    std::array<RecordKey, kSlots + 1> keys_{};
    std::array<bool, kSlots + 1> taken_{};
    std::array<Slot, kSlots + 1> next_in_bucket_{};
    std::array<Slot, kBuckets> buckets_{};
    std::array<std::uint16_t, kSlots + 1> pins_{};  // nothing is in use by others here
    std::uint32_t taken_count_ = 0;
    std::uint64_t most_records_ = 0;             // there at one time
    std::uint64_t uses_ = 0, sampled_uses_ = 0;  // of all records, and as the sample has it
};

}  // namespace clearway::io_cache
