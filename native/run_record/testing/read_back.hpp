// A record file as a reader finds it: on the disk.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "run_record/layout.hpp"

namespace clearway::testing {

// A folder of the test's own, gone with it.
class Folder {
public:
    Folder() {
        char pattern[] = "/tmp/clearway-test-XXXXXX";
        path_ = mkdtemp(pattern);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

class ReadBack {
public:
    explicit ReadBack(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
        if (bytes_.size() < kFirstSegmentOffset) throw std::runtime_error("no record: " + path);
        std::memcpy(&header, bytes_.data(), sizeof header);
        segments.resize(header.segment_count);
        std::memcpy(segments.data(), bytes_.data() + kHeaderBytes, header.segment_count * sizeof(SegmentEntry));
    }

    // All elements of a kind, in the order of their segments.
    template <class Element>
    std::vector<Element> elements(SegmentKind kind) const {
        std::vector<Element> found;
        for (const SegmentEntry& segment : segments) {
            if (segment.kind != kind) continue;
            EXPECT_EQ(segment.element_bytes, sizeof(Element));
            EXPECT_EQ(segment.offset % 4096, 0U);
            EXPECT_LE(segment.count, segment.capacity);
            EXPECT_LE(segment.offset + segment.capacity * sizeof(Element), bytes_.size());
            const std::size_t before = found.size();
            found.resize(before + segment.count);
            std::memcpy(found.data() + before, bytes_.data() + segment.offset, segment.count * sizeof(Element));
        }
        return found;
    }

    FileHeader header;
    std::vector<SegmentEntry> segments;

private:
    std::vector<char> bytes_;
};

}  // namespace clearway::testing
