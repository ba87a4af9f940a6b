#include "io_cache/replay/replay.hpp"

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "io_cache/policy/policy.hpp"
#include "io_cache/replay/optimum.hpp"
#include "io_cache/replay/page_cache.hpp"

namespace clearway::io_cache {

namespace {

class Replay {
public:
    Replay(Policy& policy, std::uint32_t frames)
        : policy_(policy), pins_(frames + 1), dirty_(frames + 1), keys_(frames + 1) {
        for (FrameId frame = frames; frame > 0; --frame) free_.push_back(frame);
    }

    void use(const Step& step) {
        const auto found = where_.find(step.key);
        FrameId frame = kNoFrame;
        if (found != where_.end()) {
            frame = found->second;
            if (step.key != last_[file_of(step.key)]) policy_.touch(frame);
        } else {
            frame = make_room(step.key, step.part);
            if (step.access == Access::read) ++outcome_.fetched;
            if (step.access == Access::write && frame == kNoFrame) ++outcome_.written;
        }
        if (frame != kNoFrame && step.access == Access::write) dirty_[frame] = true;
        last_[file_of(step.key)] = step.key;
    }

    void cut(RecordKey first) {
        std::vector<RecordKey> gone;
        for (auto at = ordered_.lower_bound(first); at != ordered_.end() && file_of(at->first) == file_of(first); ++at)
            gone.push_back(at->first);
        for (const RecordKey key : gone) {
            policy_.forget(where_[key]);
            remove(key);
        }
    }

    Outcome finish() {
        for (const auto& [key, frame] : where_) outcome_.written += dirty_[frame] ? 1 : 0;
        return outcome_;
    }

private:
    FrameId make_room(RecordKey key, bool must) {
        if (free_.empty()) {
            const FrameId victim = policy_.victim(key, must, pins_.data());
            if (victim == kNoFrame) return kNoFrame;
            outcome_.written += dirty_[victim] ? 1 : 0;
            policy_.evict(victim);
            remove(keys_[victim]);
        }
        const FrameId frame = free_.back();
        free_.pop_back();
        dirty_[frame] = false;
        keys_[frame] = key;
        where_[key] = frame;
        ordered_[key] = frame;
        policy_.insert(frame, key);
        return frame;
    }

    void remove(RecordKey key) {
        free_.push_back(where_[key]);
        where_.erase(key);
        ordered_.erase(key);
    }

    Policy& policy_;
    std::vector<std::uint16_t> pins_;  // nothing is in use by others here
    std::vector<bool> dirty_;
    std::vector<RecordKey> keys_;
    std::vector<FrameId> free_;
    std::unordered_map<RecordKey, FrameId> where_;
    std::map<RecordKey, FrameId> ordered_;
    std::unordered_map<std::uint32_t, RecordKey> last_;  // used, of each file: to go on in a record is the same use
    Outcome outcome_;
};

}  // namespace

bool replay(const Trace& trace, std::string_view name, std::uint32_t frames, std::uint32_t record_bytes,
            Outcome& outcome) {
    std::size_t now = 0;
    std::vector<std::uint32_t> next;
    std::unique_ptr<Policy> policy;
    if (name == "page-cache") {
        policy = std::make_unique<PageCache>(frames, record_bytes);
    } else if (name == "optimum") {
        next = next_uses(trace);
        policy = std::make_unique<Optimum>(frames, next, now);
    } else {
        policy = make_policy(name, frames);
    }
    if (policy == nullptr) return false;

    Replay replay(*policy, frames);
    for (; now < trace.steps.size(); ++now) {
        const Step& step = trace.steps[now];
        if (step.access == Access::cut)
            replay.cut(step.key);
        else
            replay.use(step);
    }
    outcome = replay.finish();
    return true;
}

}  // namespace clearway::io_cache
