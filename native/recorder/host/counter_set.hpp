// The counters of one record file, by name.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/text.hpp"
#include "run_record/record_file.hpp"
#include "run_record/run_file.hpp"

namespace clearway::recorder {

class CounterSet {
public:
    constexpr CounterSet(Table<Counter>& table, RecordFile& file) : table_(table), file_(file) {}

    // Newest value of a counter, which is made at first sight.
    void set(const char* name, std::uint64_t value) {
        Counter* counter = find(name);
        if (counter != nullptr) {
            __atomic_store_n(&counter->last, value, __ATOMIC_RELAXED);
            return;
        }
        table_.add(file_, counter_of(name, value, value));
    }

    void set(const char* prefix, const char* name, std::uint64_t value) {
        char whole[sizeof Counter::name];
        dotted(whole, prefix, name);
        set(whole, value);
    }

private:
    // Samples come in the same order each time: look where the previous search ended, then everywhere.
    Counter* find(const char* name) {
        const std::uint32_t size = table_.size();
        for (std::uint32_t i = 0; i < size; ++i) {
            const std::uint32_t index = (cursor_ + i) % size;
            Counter* counter = table_.at(index);
            if (std::strncmp(counter->name, name, sizeof counter->name - 1) != 0) continue;
            cursor_ = index + 1;
            return counter;
        }
        return nullptr;
    }

    Table<Counter>& table_;
    RecordFile& file_;
    std::uint32_t cursor_ = 0;
};

}  // namespace clearway::recorder
