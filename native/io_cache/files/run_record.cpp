#include "io_cache/files/run_record.hpp"

#include <cstring>

#include "io_cache/files/counts.hpp"
#include "io_cache/files/table.hpp"
#include "run_record/run_file.hpp"

namespace clearway::io_cache {

namespace {

constinit RecordFile file;
constinit Table<IoCacheCell> cells(SegmentKind::io_cache, 1, 1);
constinit Table<IoSizeCell> sizes(SegmentKind::io_sizes, MissRatioCurve::kSizes + 1, MissRatioCurve::kSizes + 1);
constinit std::atomic<bool> tried{false};
constinit pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

IoCacheCell totals() {
    const Statistics said = cache->statistics();
    const auto count = [](const std::atomic<std::uint64_t>& number) { return number.load(std::memory_order_relaxed); };
    IoCacheCell cell{};
    cell.budget_bytes = said.memory_available_bytes;
    cell.record_bytes = said.record_bytes;
    cell.records = said.records_fitting;
    cell.peak_records = said.most_records;
    cell.read_records = said.records_read;
    cell.fetched_records = said.records_read_file;
    cell.written_records = said.records_written;
    cell.stored_records = said.records_written_file;
    cell.read_bytes = count(counts.read_bytes);
    cell.written_bytes = count(counts.written_bytes);
    cell.fetches = count(counts.fetches);
    cell.fetched_bytes = count(counts.fetched_bytes);
    cell.fetch_ns = count(counts.fetch_ns);
    cell.stores = count(counts.stores);
    cell.stored_bytes = count(counts.stored_bytes);
    cell.store_ns = count(counts.store_ns);
    cell.evicted_serial = said.evicted_serial;
    cell.evicted_other = said.evicted_other;
    cell.lookups = said.lookups;
    cell.conflicts = said.conflicts;
    cell.files = count(counts.files);
    cell.deleted_files = count(counts.deleted_files);
    cell.left_files = count(counts.left_files);
    cell.store_errors = said.write_back_errors;
    std::strncpy(cell.policy, Settings{}.policy, sizeof cell.policy - 1);
    return cell;
}

void write_totals() {
    const IoCacheCell now = totals();
    if (cells.size() == 0)
        cells.add(file, now);
    else
        *cells.at(0) = now;
}

void write_sizes() {
    const MissRatioCurve::Points points = cache->miss_ratio_curve();
    for (int i = 0; i < points.count; ++i) {
        const SizePoint& point = points.at[static_cast<std::size_t>(i)];
        const IoSizeCell cell{point.size_bytes, point.fetched_records, point.stored_records};
        if (static_cast<std::uint32_t>(i) < sizes.size())
            *sizes.at(static_cast<std::uint32_t>(i)) = cell;
        else
            sizes.add(file, cell);
    }
}

}  // namespace

void update_run_record() {
    if (counts.files.load(std::memory_order_relaxed) == 0 || !in_own_process()) return;
    const DeferSignals deferred;
    pthread_mutex_lock(&turn);
    if (!tried) {
        tried = true;
        open_own_file(file, FileKind::io_cache);
        sizes.prepare(file);
    }
    if (file.is_open() && cache != nullptr) {
        write_totals();
        write_sizes();
    }
    pthread_mutex_unlock(&turn);
}

void begin_run_record() {
    if (!tried.load(std::memory_order_relaxed)) update_run_record();
}

void forget_run_record() {
    file.abandon();
    cells.abandon();
    sizes.abandon();
    pthread_mutex_init(&turn, nullptr);  // the background thread may have held it
    tried = false;
}

}  // namespace clearway::io_cache
