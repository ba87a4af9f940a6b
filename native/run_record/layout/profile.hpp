// In which functions the program's processor time goes: sampled instructions, and the files that they are of. Part of a
// record: see layout.hpp.
#pragma once

#include <cstdint>

namespace clearway {

// A stretch of memory with instructions: a part of a program or a library, or what was made at run time.
struct CodeRange {
    std::uint64_t begin, end;   // addresses
    std::uint64_t file_offset;  // where the file has what is at `begin`
    std::uint64_t file_bytes;   // the file's size; 0: there is none, or it could not be looked at
    std::int64_t modified_s;    // when it was last written, since 1970
    char path[216];             // as the process sees it; empty: too long. "[vdso]"; "[run time]": no file
};

// So often threads were found at this instruction, outside the kernel, each once in a period of its processor time,
// which a fact tells.
struct CodeSample {
    std::uint64_t address;
    std::uint32_t bytes;      // 1; or somewhere in so many from `address` on: the last of many different ones
    std::uint32_t range;      // number of the CodeRange, in order; kNoRange: in none that is known
    std::uint32_t by_main;    // samples of the main thread
    std::uint32_t by_others;  // of the program's other threads
};

inline constexpr std::uint32_t kNoRange = 0xffffffff;

static_assert(sizeof(CodeRange) == 256);
static_assert(sizeof(CodeSample) == 24);

}  // namespace clearway
