#include "slurm/deflate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace clearway::slurm {
namespace {

constexpr std::size_t kShortest = 3, kLongest = 258, kWindow = 32768;
constexpr std::size_t kHashes = 1 << 15;
constexpr int kMostTries = 32;  // earlier places with the same hash that are looked at
constexpr std::size_t kGoodEnough = 128;

// A length or distance is a code, which stands for the smallest of a range, and extra bits that say which of it.
struct Code {
    std::uint16_t base;
    std::uint8_t extra_bits;
};
constexpr Code kLengths[] = {{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                             {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                             {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                             {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr Code kDistances[] = {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
                               {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
                               {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
                               {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
                               {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};

template <std::size_t n>
std::size_t code_of(const Code (&codes)[n], std::size_t value) {
    const auto* after = std::upper_bound(codes, codes + n, value,
                                         [](std::size_t wanted, const Code& code) { return wanted < code.base; });
    return static_cast<std::size_t>(after - codes) - 1;
}

// Bits, the lowest of a byte first.
class Bits {
public:
    explicit Bits(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    void add(std::uint32_t value, int number) {
        held_ |= static_cast<std::uint64_t>(value) << held_bits_;
        for (held_bits_ += number; held_bits_ >= 8; held_bits_ -= 8, held_ >>= 8)
            bytes_.push_back(static_cast<std::uint8_t>(held_));
    }
    // Huffman codes come with their highest bit first.
    void add_reversed(std::uint32_t code, int number) {
        std::uint32_t reversed = 0;
        for (int i = 0; i < number; ++i) reversed |= (code >> i & 1U) << (number - 1 - i);
        add(reversed, number);
    }
    void end() {
        if (held_bits_ > 0) bytes_.push_back(static_cast<std::uint8_t>(held_));
    }

private:
    std::vector<std::uint8_t>& bytes_;
    std::uint64_t held_ = 0;
    int held_bits_ = 0;
};

// The fixed code of a literal, of the end (256), or of a length (RFC 1951, 3.2.6).
void add_symbol(Bits& bits, std::uint32_t symbol) {
    if (symbol < 144)
        bits.add_reversed(0x30 + symbol, 8);
    else if (symbol < 256)
        bits.add_reversed(0x190 + symbol - 144, 9);
    else if (symbol < 280)
        bits.add_reversed(symbol - 256, 7);
    else
        bits.add_reversed(0xc0 + symbol - 280, 8);
}

void add_copy(Bits& bits, std::size_t length, std::size_t distance) {
    const std::size_t of_length = code_of(kLengths, length), of_distance = code_of(kDistances, distance);
    add_symbol(bits, static_cast<std::uint32_t>(257 + of_length));
    bits.add(static_cast<std::uint32_t>(length - kLengths[of_length].base), kLengths[of_length].extra_bits);
    bits.add_reversed(static_cast<std::uint32_t>(of_distance), 5);
    bits.add(static_cast<std::uint32_t>(distance - kDistances[of_distance].base), kDistances[of_distance].extra_bits);
}

// Where the same bytes stood before: places with equal hashes are chained, the newest first.
class Places {
public:
    explicit Places(std::span<const std::uint8_t> bytes)
        : bytes_(bytes), newest_(kHashes, -1), before_(bytes.size(), -1) {}

    void add(std::size_t at) {
        if (at + kShortest > bytes_.size()) return;
        before_[at] = newest_[hash(at)];
        newest_[hash(at)] = static_cast<std::int32_t>(at);
    }

    // The longest earlier copy of what stands at `at`; length 0 where there is none worth it.
    std::size_t longest(std::size_t at, std::size_t& distance) const {
        if (at + kShortest > bytes_.size()) return 0;
        const std::size_t most = std::min(kLongest, bytes_.size() - at);
        std::size_t best = 0;
        std::int32_t place = newest_[hash(at)];
        for (int i = 0; i < kMostTries && place >= 0 && best < kGoodEnough; ++i, place = before_[at_of(place)]) {
            if (at - at_of(place) > kWindow) break;
            const std::size_t length = common(at_of(place), at, most);
            if (length <= best) continue;
            best = length;
            distance = at - at_of(place);
        }
        return best >= kShortest ? best : 0;
    }

private:
    static std::size_t at_of(std::int32_t place) { return static_cast<std::size_t>(place); }

    std::size_t hash(std::size_t at) const {
        const std::uint32_t word = bytes_[at] | bytes_[at + 1] << 8 | bytes_[at + 2] << 16;
        return word * 0x9e3779b1U >> (32 - 15);
    }

    std::size_t common(std::size_t a, std::size_t b, std::size_t most) const {
        std::size_t length = 0;
        while (length < most && bytes_[a + length] == bytes_[b + length]) ++length;
        return length;
    }

    std::span<const std::uint8_t> bytes_;
    std::vector<std::int32_t> newest_, before_;
};

std::uint32_t adler32(std::span<const std::uint8_t> bytes) {
    constexpr std::uint32_t kPrime = 65521;
    std::uint32_t a = 1, b = 0;
    for (const std::uint8_t byte : bytes) {
        a = (a + byte) % kPrime;
        b = (b + a) % kPrime;
    }
    return b << 16 | a;
}

}  // namespace

std::vector<std::uint8_t> deflate(std::span<const std::uint8_t> bytes) {
    std::vector<std::uint8_t> made{0x78, 0x9c};
    made.reserve(bytes.size() / 4 + 64);
    Bits bits(made);
    bits.add(1, 1);  // the last block
    bits.add(1, 2);  // of fixed codes
    Places places(bytes);
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t distance = 0;
        const std::size_t length = places.longest(at, distance);
        if (length == 0) {
            add_symbol(bits, bytes[at]);
            places.add(at++);
            continue;
        }
        add_copy(bits, length, distance);
        for (const std::size_t end = at + length; at < end; ++at) places.add(at);
    }
    add_symbol(bits, 256);
    bits.end();
    const std::uint32_t sum = adler32(bytes);
    for (const int shift : {24, 16, 8, 0}) made.push_back(static_cast<std::uint8_t>(sum >> shift));
    return made;
}

}  // namespace clearway::slurm
