#include "simulator/command/job_options.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "workload/parse.hpp"

namespace clearway::simulator {

namespace {

// Returns what is wrong.
std::string read(const std::string& path, std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "re");
    if (file == nullptr) return "cannot read '" + path + "': " + std::strerror(errno);
    char chunk[65536];
    std::size_t bytes = 0;
    while ((bytes = std::fread(chunk, 1, sizeof chunk, file)) > 0) text.append(chunk, bytes);
    const bool has_failed = std::ferror(file) != 0;
    std::fclose(file);
    return has_failed ? "cannot read '" + path + "'" : "";
}

std::string read_script(const std::string& path, workload::Script& script) {
    std::string text;
    if (std::string fault = read(path, text); !fault.empty()) return fault;
    workload::ScriptError error;
    if (workload::parse_script(text, script, error)) return {};
    return path + (error.line > 0 ? ", line " + std::to_string(error.line) : "") + ": " + error.message;
}

std::string parse_choice(const std::string& text, schedule::Candidate& candidate) {
    if (!parse(text, candidate) || candidate.is_own()) return "'" + text + "' is not an algorithm of Clearway's";
    return {};
}

std::string parse_any_choice(const std::string& text, std::optional<schedule::Candidate>& candidate) {
    return text.empty() ? "" : parse_choice(text, candidate.emplace());
}

bool parse_bytes(std::string_view text, std::uint64_t& bytes) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return error == std::errc() && end == text.data() + text.size();
}

bool parse_places(std::string_view text, std::vector<std::uint32_t>& hosts) {
    while (!text.empty()) {
        std::uint32_t host = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), host);
        if (error != std::errc()) return false;
        hosts.push_back(host);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.empty() && text.front() != ',') return false;
        if (!text.empty()) text.remove_prefix(1);
    }
    return true;
}

// Hosts are numbered without a gap: as many as the highest number says have ranks.
bool is_dense(const std::vector<std::uint32_t>& hosts) {
    std::vector<bool> has_rank(hosts.size(), false);
    for (const std::uint32_t host : hosts) {
        if (host >= hosts.size()) return false;
        has_rank[host] = true;
    }
    return std::is_sorted(has_rank.begin(), has_rank.end(), [](bool a, bool b) { return a && !b; });
}

std::string make_places(const JobOptions& options, std::uint32_t per_host, std::uint32_t ranks,
                        std::vector<std::uint32_t>& hosts) {
    if (options.places.empty()) {
        for (std::uint32_t rank = 0; rank < ranks; ++rank) hosts.push_back(rank / per_host);
        return {};
    }
    if (!parse_places(options.places, hosts)) return "'" + options.places + "' is not a list of hosts";
    if (hosts.size() != ranks)
        return std::to_string(hosts.size()) + " places do not fit " + std::to_string(ranks) + " ranks";
    return is_dense(hosts) ? "" : "hosts must be numbered from 0, and each needs a rank";
}

}  // namespace

std::string make_job(const JobOptions& options, std::uint32_t per_host, JobScenario& scenario) {
    if (std::string fault = read_script(options.script, scenario.script); !fault.empty()) return fault;
    std::vector<std::uint32_t> hosts;
    const auto ranks = static_cast<std::uint32_t>(scenario.script.ranks);
    if (std::string fault = make_places(options, per_host, ranks, hosts); !fault.empty()) return fault;
    const std::uint32_t needed = *std::ranges::max_element(hosts) + 1;
    if (needed > scenario.topology.hosts)
        return std::to_string(ranks) + " ranks need " + std::to_string(needed) + " hosts, but there are " +
               std::to_string(scenario.topology.hosts);
    scenario.placement = schedule::place(std::move(hosts));
    if (std::string fault = parse_choice(options.alltoall, scenario.choices.alltoall); !fault.empty()) return fault;
    if (std::string fault = parse_choice(options.allgather, scenario.choices.allgather); !fault.empty()) return fault;
    const std::pair<const std::string&, std::optional<schedule::Candidate>&> others[] = {
        {options.alltoallv, scenario.choices.alltoallv},
        {options.bcast, scenario.choices.bcast},
        {options.reduce, scenario.choices.reduce},
        {options.allreduce, scenario.choices.allreduce},
    };
    for (const auto& [text, candidate] : others)
        if (std::string fault = parse_any_choice(text, candidate); !fault.empty()) return fault;
    const std::optional<Library> library = find_library(options.collectives);
    if (!library) return "'" + options.collectives + "' is no MPI whose choice of algorithms is known: mpich, openmpi";
    scenario.choices.library = *library;
    if (!parse_bytes(options.barrier_above, scenario.choices.barrier_above_bytes))
        return "'" + options.barrier_above + "' is not a number of bytes";
    return fault_of(scenario.script, scenario.choices);
}

}  // namespace clearway::simulator
