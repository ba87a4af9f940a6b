#include "collectives/request_set.hpp"

#include <algorithm>
#include <cstring>

namespace clearway::collectives {

Arg RequestSet::next_handle() {
    const std::size_t offset = pending_.size() * mpi_.handle_bytes;
    if (handles_.size() < offset + mpi_.handle_bytes) handles_.resize(2 * offset + 16 * mpi_.handle_bytes);
    return to_arg(handles_.data() + offset);
}

void RequestSet::reserve(std::size_t requests) {
    pending_.reserve(requests);
    indices_.reserve(requests);
    handles_.resize((requests + 1) * mpi_.handle_bytes);
    statuses_.reserve(requests * static_cast<std::size_t>(abi.status_bytes));
}

int RequestSet::take_ended(bool wait, std::vector<Pending>& ended) {
    if (pending_.empty()) return kMpiSuccess;
    indices_.resize(pending_.size());
    statuses_.resize(pending_.size() * static_cast<std::size_t>(abi.status_bytes));
    int count = 0;
    const auto ask = wait ? mpi_.waitsome : mpi_.testsome;
    const int code = ask(static_cast<Arg>(pending_.size()), to_arg(handles_.data()), to_arg(&count),
                         to_arg(indices_.data()), to_arg(statuses_.data()));
    if (code != kMpiSuccess) return error_in_statuses(code, count);
    // MPI_UNDEFINED, which means that no request was active, cannot come: the set holds active ones only.
    if (count <= 0) return kMpiSuccess;
    const std::span indices(indices_.data(), static_cast<std::size_t>(count));
    note_bytes(indices);
    remove(indices, ended);
    return kMpiSuccess;
}

// MPI_ERR_IN_STATUS says nothing of what went wrong; the statuses do.
int RequestSet::error_in_statuses(int code, int count) const {
    for (int i = 0; i < count && i < static_cast<int>(indices_.size()); ++i)
        if (const int error = status_error(to_arg(statuses_.data() + i * abi.status_bytes)); error != kMpiSuccess)
            return error;
    return code;
}

void RequestSet::note_bytes(std::span<const int> indices) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
        Pending& pending = pending_[static_cast<std::size_t>(indices[i])];
        if (pending.purpose != Purpose::receive) continue;
        const std::size_t offset = i * static_cast<std::size_t>(abi.status_bytes);
        const std::uint64_t received = status_bytes_received(to_arg(statuses_.data() + offset));
        pending.is_short = received < pending.bytes;
        if (pending.is_short) pending.bytes = static_cast<std::uint32_t>(received);
    }
}

void RequestSet::give_up_chunks_behind(std::uint32_t subject, std::uint32_t last) {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        Pending& pending = pending_[i];
        if (pending.purpose != Purpose::receive || pending.subject != subject || pending.chunk <= last) continue;
        pending.purpose = Purpose::given_up;
        mpi_.cancel(to_arg(handles_.data() + i * mpi_.handle_bytes));
    }
}

// In ascending order the ended are reported, as they were posted; then the last of the set fill their places.
void RequestSet::remove(std::span<int> indices, std::vector<Pending>& ended) {
    std::ranges::sort(indices);
    for (const int index : indices) ended.push_back(pending_[static_cast<std::size_t>(index)]);
    for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
        const auto place = static_cast<std::size_t>(*index);
        const std::size_t last = pending_.size() - 1;
        if (place != last) {
            pending_[place] = pending_[last];
            std::memcpy(handles_.data() + place * mpi_.handle_bytes, handles_.data() + last * mpi_.handle_bytes,
                        mpi_.handle_bytes);
        }
        pending_.pop_back();
    }
}

void RequestSet::abandon() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        const Arg handle = to_arg(handles_.data() + i * mpi_.handle_bytes);
        if (handle_at(handle, 0) == as_handle(mpi_.null_request)) continue;
        mpi_.cancel(handle);
        mpi_.request_free(handle);
    }
    pending_.clear();
}

}  // namespace clearway::collectives
