// Where the unwinder of libgcc finds the library that an address lies in, when an exception passes through it: glibc
// 2.35 answers that (_dl_find_object), here it is asked as before. Only what is linked into our own libraries comes
// here.
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace {

// glibc's struct dl_find_object, of machines whose data has no base address of its own (x86-64, arm64).
struct Found {
    unsigned long long flags;
    void* begin;
    void* end;
    link_map* map;
    void* exception_header;
    unsigned long long reserved[7];
};

struct Search {
    std::uintptr_t address;
    Found* found;
};

int look_into(dl_phdr_info* library, std::size_t, void* data) {
    auto* const search = static_cast<Search*>(data);
    std::uintptr_t begin = UINTPTR_MAX, end = 0, header = 0;
    bool inside = false;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = library->dlpi_phdr[i];
        const std::uintptr_t from = library->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD) {
            const std::uintptr_t to = from + segment.p_memsz;
            inside = inside || (search->address >= from && search->address < to);
            begin = from < begin ? from : begin;
            end = to > end ? to : end;
        } else if (segment.p_type == PT_GNU_EH_FRAME) {
            header = from;
        }
    }
    if (!inside) return 0;
    *search->found = Found{};
    search->found->begin = reinterpret_cast<void*>(begin);
    search->found->end = reinterpret_cast<void*>(end);
    search->found->exception_header = reinterpret_cast<void*>(header);
    return header != 0 ? 1 : -1;
}

}  // namespace

// Not under that name in C++: newer headers declare it, with their own struct.
extern "C" [[gnu::visibility("hidden")]] int clearway_find_object(void* address,
                                                                  Found* found) __asm__("_dl_find_object");

int clearway_find_object(void* address, Found* found) {
    Search search{reinterpret_cast<std::uintptr_t>(address), found};
    return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
