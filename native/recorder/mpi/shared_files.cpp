#include "recorder/mpi/shared_files.hpp"

namespace clearway::recorder {
namespace {

constexpr unsigned kMostOpen = 64;

// Looked at one after the other: few are open at once, and what is done with them takes much longer.
SharedFile open_files[kMostOpen];  // handle 0: the place is free

SharedFile* place_of(Arg file) {
    for (SharedFile& one : open_files)
        if (__atomic_load_n(&one.handle, __ATOMIC_ACQUIRE) == file) return &one;
    return nullptr;
}

}  // namespace

void remember_file(const SharedFile& file) {
    constexpr Arg kTaken = -1;
    if (file.handle == 0) return;
    for (SharedFile& one : open_files) {
        Arg none = 0;
        if (!__atomic_compare_exchange_n(&one.handle, &none, kTaken, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        one.files = file.files;
        one.cell = file.cell;
        __atomic_store_n(&one.handle, file.handle, __ATOMIC_RELEASE);
        return;
    }
}

SharedFile find_file(Arg file) {
    const SharedFile* place = file != 0 ? place_of(file) : nullptr;
    return place != nullptr ? SharedFile{file, place->files, place->cell} : SharedFile{};
}

SharedFile forget_file(Arg file) {
    SharedFile* place = file != 0 ? place_of(file) : nullptr;
    if (place == nullptr) return {};
    const SharedFile known{file, place->files, place->cell};
    __atomic_store_n(&place->handle, 0, __ATOMIC_RELEASE);
    return known;
}

}  // namespace clearway::recorder
