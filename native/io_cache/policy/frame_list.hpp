// Doubly linked lists of frames. The links lie in an array of the owner's, one pair a frame: a frame is in at most
// one of the lists that share an array.
#pragma once

#include <cstdint>

#include "io_cache/policy/frame.hpp"

namespace clearway::io_cache {

struct FrameLinks {
    FrameId previous = kNoFrame, next = kNoFrame;
};

class FrameList {
public:
    FrameId front() const { return front_; }
    FrameId back() const { return back_; }
    std::uint32_t size() const { return size_; }

    void push_front(FrameLinks* links, FrameId frame) {
        links[frame] = {kNoFrame, front_};
        (front_ != kNoFrame ? links[front_].previous : back_) = frame;
        front_ = frame;
        ++size_;
    }

    void push_back(FrameLinks* links, FrameId frame) {
        links[frame] = {back_, kNoFrame};
        (back_ != kNoFrame ? links[back_].next : front_) = frame;
        back_ = frame;
        ++size_;
    }

    void remove(FrameLinks* links, FrameId frame) {
        const FrameLinks link = links[frame];
        (link.previous != kNoFrame ? links[link.previous].next : front_) = link.next;
        (link.next != kNoFrame ? links[link.next].previous : back_) = link.previous;
        links[frame] = {};
        --size_;
    }

    // Puts `other` where `frame` was.
    void replace(FrameLinks* links, FrameId frame, FrameId other) {
        const FrameLinks link = links[frame];
        links[other] = link;
        (link.previous != kNoFrame ? links[link.previous].next : front_) = other;
        (link.next != kNoFrame ? links[link.next].previous : back_) = other;
        links[frame] = {};
    }

private:
    FrameId front_ = kNoFrame, back_ = kNoFrame;
    std::uint32_t size_ = 0;
};

}  // namespace clearway::io_cache
