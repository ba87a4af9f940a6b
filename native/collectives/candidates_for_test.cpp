#include "collectives/candidates_for.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>
#include <string>

namespace clearway::collectives {
namespace {

using schedule::Operation;

std::vector<std::string> texts_for(const std::vector<std::uint32_t>& ranks_on_host, Operation operation,
                                   std::uint64_t block_bytes) {
    std::vector<std::string> texts;
    for (const schedule::Candidate& each :
         candidates_for(schedule::place_in_blocks(ranks_on_host), operation, block_bytes))
        texts.push_back(text_of(each));
    return texts;
}

TEST(CandidatesFor, EndWithTheMpisOwnAndServeTheOperation) {
    for (const auto& hosts : {std::vector<std::uint32_t>{1, 1}, {1, 1, 1, 1, 1}, {2, 2, 2}, {4, 1}, {16, 16}}) {
        for (const Operation operation : schedule::kOperations) {
            if (schedule::is_on_vector(operation)) continue;  // --flow leaves them to the MPI
            for (const std::uint64_t bytes : {0U, 1U, 512U, 513U, 8192U, 65536U, 1U << 30}) {
                const auto placement = schedule::place_in_blocks(hosts);
                const auto found = candidates_for(placement, operation, bytes);
                ASSERT_GE(found.size(), 2U) << schedule::name_of(operation) << " " << bytes;
                EXPECT_TRUE(found.back().is_own());
                std::set<std::string> texts;
                for (const schedule::Candidate& each : found) {
                    EXPECT_TRUE(each.is_own() || schedule::serves(*each.algorithm, operation));
                    EXPECT_TRUE(texts.insert(text_of(each)).second) << text_of(each);
                }
            }
        }
    }
}

TEST(CandidatesFor, OddHostsDoNotPair) {
    const auto odd = texts_for({1, 1, 1, 1, 1}, Operation::alltoall, 65536);
    EXPECT_TRUE(std::ranges::none_of(odd, [](const auto& text) { return text.starts_with("pairwise"); }));
    const auto even = texts_for({1, 1, 1, 1}, Operation::alltoall, 65536);
    EXPECT_TRUE(std::ranges::any_of(even, [](const auto& text) { return text.starts_with("pairwise"); }));
}

TEST(CandidatesFor, UnknownSizesAreTakenForLarge) {
    EXPECT_EQ(texts_for({1, 1, 1, 1}, Operation::alltoallv, 0),
              texts_for({1, 1, 1, 1}, Operation::alltoallv, 1U << 30));
}

}  // namespace
}  // namespace clearway::collectives
