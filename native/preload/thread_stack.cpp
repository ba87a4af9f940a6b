#include "preload/thread_stack.hpp"

#include <link.h>

namespace clearway {

namespace {

constinit std::size_t storage_bytes = 0;

int add_storage(dl_phdr_info* library, std::size_t /*size*/, void* /*context*/) {
    for (int i = 0; i < library->dlpi_phnum; ++i) {
        const auto& part = library->dlpi_phdr[i];
        if (part.p_type == PT_TLS) storage_bytes += part.p_memsz + part.p_align;
    }
    return 0;
}

}  // namespace

void measure_thread_storage() {
    storage_bytes = 0;
    dl_iterate_phdr(add_storage, nullptr);
}

std::size_t stack_with(std::size_t bytes_left) {
    constexpr std::size_t kPage_bytes = 4096;
    return (bytes_left + storage_bytes + kPage_bytes - 1) / kPage_bytes * kPage_bytes;
}

}  // namespace clearway
