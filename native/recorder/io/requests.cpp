#include "recorder/io/operations.hpp"

namespace clearway::recorder {

void book_request(MpiFileCell& file, std::uint64_t begin, std::uint64_t before, std::uint64_t bytes,
                  std::uint64_t ticks) {
    if (bytes == 0) return;  // the end of the file, or an error
    const auto add = [&](std::uint64_t(&sums)[3]) {
        add_to(sums[0], 1);
        add_to(sums[1], bytes);
        add_to(sums[2], ticks);
    };
    add(file.requests);
    if (bytes < kSmallRequestBytes) add(file.small_requests);
    if (begin < before) add(file.backward_requests);
    if (begin % kAlignedBytes != 0) add(file.misaligned_requests);
}

}  // namespace clearway::recorder
