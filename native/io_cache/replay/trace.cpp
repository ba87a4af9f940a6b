#include "io_cache/replay/trace.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace clearway::io_cache {

namespace {

void count_records(Trace& trace) {
    std::set<RecordKey> there;
    for (const Step& step : trace.steps) {
        if (step.access == Access::cut) {
            there.erase(there.lower_bound(step.key), there.lower_bound(record_key(file_of(step.key) + 1, 0)));
            continue;
        }
        ++trace.uses;
        there.insert(step.key);
        trace.most_records = std::max(trace.most_records, static_cast<std::uint32_t>(there.size()));
    }
}

}  // namespace

std::string read_trace(const std::string& path, std::uint32_t record_bytes, Trace& trace) {
    std::ifstream lines(path);
    if (!lines) return "cannot read " + path;
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::istringstream words(line);
        char kind = 0;
        std::uint32_t file = 0;
        std::uint64_t offset = 0, bytes = 0;
        words >> kind >> file;
        if (file >= kMostFilesAtOnce) words.setstate(std::ios::failbit);
        if (kind == 't') words >> offset;
        if (kind == 'r' || kind == 'w') words >> offset >> bytes;
        if (!words || std::strchr("rwtd", kind) == nullptr)
            return std::string(path)
                .append(":")
                .append(std::to_string(number))
                .append(": not a line of a trace: ")
                .append(line);
        if (kind == 't' || kind == 'd') {
            trace.steps.push_back({Access::cut, false, record_key(file, (offset + record_bytes - 1) / record_bytes)});
            continue;
        }
        for (std::uint64_t index = offset / record_bytes; index * record_bytes < offset + bytes; ++index) {
            const bool part = index * record_bytes < offset || offset + bytes < (index + 1) * record_bytes;
            trace.steps.push_back({kind == 'r' ? Access::read : Access::write, part, record_key(file, index)});
        }
    }
    count_records(trace);
    return "";
}

std::vector<std::uint32_t> next_uses(const Trace& trace) {
    std::vector<std::uint32_t> next(trace.steps.size(), kNever);
    std::map<RecordKey, std::uint32_t> later;
    for (std::size_t i = trace.steps.size(); i-- > 0;) {
        const Step& step = trace.steps[i];
        if (step.access == Access::cut) {
            later.erase(later.lower_bound(step.key), later.lower_bound(record_key(file_of(step.key) + 1, 0)));
            continue;
        }
        const auto [place, is_new] = later.try_emplace(step.key, kNever);
        next[i] = is_new ? kNever : place->second;
        place->second = static_cast<std::uint32_t>(i);
    }
    return next;
}

}  // namespace clearway::io_cache
