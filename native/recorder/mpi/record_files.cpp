// Calls on files: their time, what of it the MPI spent in file functions, and who made them together.
#include "base/text.hpp"
#include "recorder/io/files.hpp"
#include "recorder/mpi/record_calls.hpp"
#include "recorder/process.hpp"

namespace clearway::recorder {
namespace {

std::uint64_t ticks_of(const Call& call) { return elapsed(call.entry(), call.exit()); }

// What the MPI spent in file functions is part of the call.
std::uint64_t in_files(const Call& call, std::uint64_t files_before) {
    const std::uint64_t spent = elapsed(files_before, call.thread().files_in_mpi_ticks), all = ticks_of(call);
    return spent < all ? spent : all;
}

}  // namespace

void record_file_change(Call& call, const SharedFile& file, std::uint64_t files_before) {
    if (file.files == nullptr) return record_plain(call, 0);
    synchronise(call, *file.files, -1, {0, 0});
    if (file.cell == nullptr) return;
    add_to(file.cell->opening_ticks, ticks_of(call));
    add_to(file.cell->opening_file_ticks, in_files(call, files_before));
}

void record_file_open(Call& call, Arg comm, Arg name, Arg file, std::uint64_t files_before) {
    MpiFileCell cell{};
    if (name != 0) copy_text(cell.path, reinterpret_cast<const char*>(name));
    const SharedFile opened{file, &files_of(comm_of(comm)), process.mpi_files.add(process.file, cell)};
    remember_file(opened);
    record_file_change(call, opened, files_before);
}

void record_file_access(Call& call, Arg file, FileAccess access, std::uint64_t bytes, std::uint64_t files_before) {
    const SharedFile known = find_file(file);
    if (access.together && known.files != nullptr)
        synchronise(call, *known.files, -1, {bytes, bytes});
    else
        record_plain(call, bytes);
    MpiFileCell* cell = known.cell;
    if (cell == nullptr) return;
    auto calls = access.writes ? &MpiFileCell::independent_writes : &MpiFileCell::independent_reads;
    if (access.collective) calls = access.writes ? &MpiFileCell::collective_writes : &MpiFileCell::collective_reads;
    add_to(cell->*calls, access.begins ? 1 : 0);
    add_to(access.writes ? cell->written_bytes : cell->read_bytes, bytes);
    add_to(access.collective ? cell->collective_ticks : cell->independent_ticks, ticks_of(call));
    add_to(access.collective ? cell->collective_file_ticks : cell->independent_file_ticks,
           in_files(call, files_before));
}

}  // namespace clearway::recorder
