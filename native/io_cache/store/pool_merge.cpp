// A process that is stopped from outside cannot write back what it has written. After a time the kernel lets others
// write to the file; when the process goes on, its bytes are the earlier ones, and theirs must stay.
//
// Where the file had nothing but zeros, what is there now is theirs, byte by byte. Where it had something else, a hash
// of that tells whether a record was changed; then ours give way in all of it. Zeros that they wrote over zeros cannot
// be told from nothing.
#include <algorithm>
#include <array>

#include "io_cache/store/pool.hpp"

namespace clearway::io_cache {

namespace {

constexpr std::uint32_t kPiece = 1024;  // divides a record; on a stack that may be small
constexpr std::uint32_t kWord = sizeof(std::uint64_t);

using Piece = std::array<std::byte, kPiece>;

// Zeros beyond the end of the file. An error number, or 0.
int read_piece(const File& file, off_t offset, Piece& piece) {
    iovec into{piece.data(), piece.size()};
    return read_all(file.backing, &into, 1, offset).error;
}

bool is_zero(std::byte byte) { return byte == std::byte{0}; }

bool is_text(std::byte byte) {
    const auto letter = std::to_integer<unsigned>(byte);
    return (letter >= ' ' && letter < 0x7f) || (letter >= '\t' && letter <= '\r');
}

// Of one piece: from the first to the last byte that is not zero. Numbers are written whole, zeros among their bytes
// included; text may begin and end anywhere.
ByteRange written_in(const Piece& piece) {
    const auto not_zero = [](std::byte byte) { return !is_zero(byte); };
    const auto* first = std::find_if(piece.begin(), piece.end(), not_zero);
    if (first == piece.end()) return {};
    const auto from = static_cast<std::uint32_t>(first - piece.begin());
    std::uint32_t to = kPiece;
    while (is_zero(piece[to - 1])) --to;
    if (std::all_of(first, piece.begin() + to, is_text)) return {from, to};
    return {from / kWord * kWord, (to + kWord - 1) / kWord * kWord};
}

}  // namespace

// In a record that was all zeros.
ByteRange Pool::others_bytes(File& file, FrameId frame, int& error) {
    const auto start = static_cast<off_t>(index_of(frames_[frame].key) * record_bytes_);
    ByteRange all;
    Piece piece;
    for (std::uint32_t at = 0; at < record_bytes_; at += kPiece) {
        if (error = read_piece(file, start + at, piece); error != 0) return {};
        const ByteRange written = written_in(piece);
        if (!written.empty()) all = all.hull({at + written.from, at + written.to});
    }
    return all;
}

bool Pool::is_as_it_was(File& file, FrameId frame, int& error) {
    const auto start = static_cast<off_t>(index_of(frames_[frame].key) * record_bytes_);
    std::uint64_t sum = 0;
    Piece piece;
    for (std::uint32_t at = 0; at < record_bytes_; at += kPiece) {
        if (error = read_piece(file, start + at, piece); error != 0) return true;
        sum += sum_of_content(piece.data(), piece.size(), at);
    }
    return base_of_sum(sum) == frames_[frame].base;
}

// How many of our bytes gave way. A record with no dirty bytes left is to be forgotten.
std::uint64_t Pool::merge_record(File& file, FrameId id, Merged& merged) {
    Frame& frame = frames_[id];
    const ByteRange ours = frame.dirty;
    if (frame.base == kUnknownBase) {
        merged.unsure_bytes += ours.bytes();
        return 0;
    }
    if (frame.base != kZeroBase) {
        if (is_as_it_was(file, id, merged.error)) return 0;
        frame.dirty = {};
        return ours.bytes();
    }
    const ByteRange theirs = others_bytes(file, id, merged.error);
    const ByteRange both{std::max(ours.from, theirs.from), std::min(ours.to, theirs.to)};
    if (theirs.empty() || both.from >= both.to) return 0;
    iovec piece{frames_.bytes(id) + both.from, both.bytes()};
    const auto start = static_cast<off_t>(index_of(frame.key) * record_bytes_);
    if (merged.error = read_all(file.backing, &piece, 1, start + both.from).error; merged.error != 0) return 0;
    return both.bytes();
}

Merged Pool::merge(File& file, off_t backing_bytes) {
    Merged merged;
    Lock lock(mutex_);
    const bool is_cut = backing_bytes < file.backing_bytes;
    if (is_cut) {
        merged.others_bytes += static_cast<std::uint64_t>(file.backing_bytes - backing_bytes);
        forget_beyond(lock, file, backing_bytes);
    }
    file.size_bytes = is_cut ? backing_bytes : std::max<off_t>(file.size_bytes, backing_bytes);
    file.backing_bytes = backing_bytes;
    file.stored_bytes = backing_bytes;
    FrameId frame = file.records.front();
    while (frame != kNoFrame && !frames_[frame].dirty.empty() && merged.error == 0) {
        if (frames_[frame].writing_back) {
            wait_for_others(lock);
            frame = file.records.front();
            continue;
        }
        const FrameId next = frames_.in_file()[frame].next;
        merged.others_bytes += merge_record(file, frame, merged);
        if (frames_[frame].dirty.empty()) {
            policy_->forget(frame);
            remove(file, frame);
        }
        frame = next;
    }
    return merged;
}

}  // namespace clearway::io_cache
