#include "workload/parse.hpp"

#include "workload/activity_line.hpp"
#include "workload/agreement.hpp"
#include "workload/words.hpp"

namespace clearway::workload {

namespace {

constexpr int kVersion = 1;
constexpr int kMostRanks = 65536;
constexpr int kMostSteps = 1'000'000'000;
constexpr std::size_t kMostActivities = std::size_t{1} << 24;  // of all ranks: a gigabyte

class Parser {
public:
    Parser(Script& script, ScriptError& error) : script_(script), error_(error) {}

    bool parse(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            ++error_.line;
            if (!take(text.substr(0, end))) return false;
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        if (script_.ranks == 0) return fail("it ends without a line `ranks N`", "clearway-script 1, title …, ranks 8");
        error_.line = 0;
        const std::string fault = disagreement(script_);
        return fault.empty() ||
               fail(fault, "each message needs a receive, and all ranks must make the same collective calls");
    }

private:
    bool fail(std::string message, std::string hint) {
        error_.message = std::move(message);
        error_.hint = std::move(hint);
        return false;
    }

    bool take(std::string_view line) {
        const Words words = words_of(line);
        if (words.empty()) return true;
        if (!has_version_) return take_version(words);
        if (words[0] == "title") return take_title(line);
        if (words[0] == "ranks") return take_ranks(words);
        if (words[0] == "steps") return take_steps(words);
        if (script_.ranks == 0) return fail(quoted(words[0]) + " comes before the number of ranks", "ranks 8");
        if (words[0] == "comm") return take_communicator(words);
        if (words[0] == "rank") return take_list_owners(words);
        return take_activity(words);
    }

    bool take_version(const Words& words) {
        int version = 0;
        if (words[0] != "clearway-script" || words.size() != 2 || !to_number(words[1], 1, 1 << 30, version))
            return fail("this is not a Script", "its first line is: clearway-script 1");
        if (version != kVersion)
            return fail("the Script has version " + std::to_string(version) + ", this program reads version " +
                            std::to_string(kVersion),
                        "write it again with this installation: clearway workload show NAME --script FILE");
        return has_version_ = true;
    }

    bool take_title(std::string_view line) {
        const std::size_t begin = line.find("title") + 5;
        const std::string_view rest = line.substr(begin);
        const std::size_t first = rest.find_first_not_of(" \t"), last = rest.find_last_not_of(" \t\r");
        if (first != std::string_view::npos) script_.title = rest.substr(first, last - first + 1);
        return true;
    }

    bool take_ranks(const Words& words) {
        if (script_.ranks != 0) return fail("the number of ranks is given twice", "keep one line `ranks N`");
        if (words.size() != 2 || !to_number(words[1], 1, kMostRanks, script_.ranks))
            return fail("the number of ranks must be 1 to 65536", "ranks 8");
        Communicator world{"world", {}};
        for (int rank = 0; rank < script_.ranks; ++rank) world.ranks.push_back(rank);
        script_.communicators.push_back(std::move(world));
        script_.activities_of.resize(static_cast<std::size_t>(script_.ranks));
        return true;
    }

    bool take_steps(const Words& words) {
        return (words.size() == 2 && to_number(words[1], 1, kMostSteps, script_.steps)) ||
               fail("the number of steps must be at least 1", "steps 10");
    }

    bool take_communicator(const Words& words) {
        if (words.size() < 3) return fail("a communicator needs a name and ranks", "comm pme 0 2 4 6");
        Communicator communicator{std::string(words[1]), {}};
        if (find(communicator.name) >= 0) return fail("there is a communicator " + quoted(words[1]) + " already", "");
        for (std::size_t i = 2; i < words.size(); ++i)
            if (!to_ranks(words[i], script_.ranks, communicator.ranks))
                return fail(quoted(words[i]) + " are not ranks of this job", ranks_hint());
        for (std::size_t i = 1; i < communicator.ranks.size(); ++i)
            if (communicator.ranks[i] <= communicator.ranks[i - 1])
                return fail("the ranks of a communicator must be in ascending order", "comm pme 0 2 4 6");
        script_.communicators.push_back(std::move(communicator));
        return true;
    }

    bool take_list_owners(const Words& words) {
        owners_.clear();
        if (words.size() == 2 && to_ranks(words[1], script_.ranks, owners_)) return true;
        return fail("the list below is for ranks that this job does not have", ranks_hint());
    }

    bool take_activity(const Words& words) {
        if (owners_.empty())
            return fail(quoted(words[0]) + " comes before the line that says which ranks do it", "rank 0-7");
        ActivityLine line;
        if (std::string fault = parse_activity(words, line); !fault.empty()) return fail(fault, usage_of(words[0]));
        line.activity.communicator = find(line.communicator);
        if (line.activity.communicator < 0)
            return fail("there is no communicator " + quoted(line.communicator),
                        "comm " + line.communicator + " 0 2 4");
        const Communicator& communicator = communicator_of(line.activity);
        if (!line.counts.empty()) {
            if (line.activity.kind != ActivityKind::wait && line.counts.size() != communicator.ranks.size())
                return fail(std::to_string(line.counts.size()) + " numbers of bytes for " +
                                std::to_string(communicator.ranks.size()) + " ranks",
                            usage_of(words[0]));
            line.activity.counts = static_cast<int>(script_.counts.size());
            script_.counts.push_back(line.counts);
        }
        activities_ += owners_.size();
        if (activities_ > kMostActivities) return fail("too many activities", "use fewer ranks or steps");
        for (const int owner : owners_)
            if (!add(owner, communicator, line)) return false;
        return true;
    }

    bool add(int owner, const Communicator& communicator, const ActivityLine& line) {
        const int self = rank_in(communicator, owner), size = static_cast<int>(communicator.ranks.size());
        if (self < 0)
            return fail("rank " + std::to_string(owner) + " is not in " + quoted(communicator.name), ranks_hint());
        Activity activity = line.activity;
        const auto resolve = [&](int& peer, bool is_relative) {
            if (is_relative) peer = ((self + peer % size) % size + size) % size;
            return peer < size;
        };
        if (!resolve(activity.peer, line.is_peer_relative) || !resolve(activity.from, line.is_from_relative))
            return fail(quoted(communicator.name) + " has only " + std::to_string(size) + " ranks",
                        "peers are numbered from 0 in their communicator");
        script_.activities_of[static_cast<std::size_t>(owner)].push_back(activity);
        return true;
    }

    const Communicator& communicator_of(const Activity& activity) const {
        return script_.communicators[static_cast<std::size_t>(activity.communicator)];
    }

    int find(std::string_view name) const {
        for (std::size_t i = 0; i < script_.communicators.size(); ++i)
            if (script_.communicators[i].name == name) return static_cast<int>(i);
        return -1;
    }

    std::string ranks_hint() const { return "they are numbered from 0 to " + std::to_string(script_.ranks - 1); }

    Script& script_;
    ScriptError& error_;
    bool has_version_ = false;
    std::vector<int> owners_;  // of the list that is being read
    std::size_t activities_ = 0;
};

}  // namespace

bool parse_script(std::string_view text, Script& script, ScriptError& error) {
    script = {};
    error = {};
    return Parser(script, error).parse(text);
}

}  // namespace clearway::workload
