#include "recorder/mpi/shared_files.hpp"

namespace clearway::recorder {
namespace {

constexpr unsigned kMostOpen = 64;

// Looked at one after the other: few are open at once, and what is done with them takes much longer.
struct OpenFile {
    Arg file;  // 0: the place is free
    CommInfo* files;
};
OpenFile open_files[kMostOpen];

OpenFile* place_of(Arg file) {
    for (OpenFile& one : open_files)
        if (__atomic_load_n(&one.file, __ATOMIC_ACQUIRE) == file) return &one;
    return nullptr;
}

}  // namespace

void remember_file(Arg file, CommInfo& files) {
    constexpr Arg kTaken = -1;
    for (OpenFile& one : open_files) {
        Arg none = 0;
        if (!__atomic_compare_exchange_n(&one.file, &none, kTaken, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        one.files = &files;
        __atomic_store_n(&one.file, file, __ATOMIC_RELEASE);
        return;
    }
}

CommInfo* find_file(Arg file) {
    const OpenFile* place = file != 0 ? place_of(file) : nullptr;
    return place != nullptr ? place->files : nullptr;
}

CommInfo* forget_file(Arg file) {
    OpenFile* place = file != 0 ? place_of(file) : nullptr;
    if (place == nullptr) return nullptr;
    CommInfo* const files = place->files;
    __atomic_store_n(&place->file, 0, __ATOMIC_RELEASE);
    return files;
}

}  // namespace clearway::recorder
