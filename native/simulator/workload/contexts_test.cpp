#include "simulator/workload/contexts.hpp"

#include <gtest/gtest.h>

#include <set>

namespace clearway::simulator {
namespace {

TEST(Contexts, TellAllCommunicatorsApart) {
    for (const std::uint32_t communicators : {1U, 2U, 2047U, 2048U, 2049U, 100'000U}) {
        std::set<std::uint32_t> contexts;
        for (std::uint32_t each = 0; each < communicators; ++each)
            for (std::uint32_t call = 0; call < 3; ++call) {
                const std::uint32_t context = context_of(each, call, communicators);
                EXPECT_NE(context & kIsCollective, 0U);
                contexts.insert(context);
            }
        EXPECT_EQ(contexts.size(), std::size_t{3} * communicators);
    }
}

TEST(Contexts, NumberManyCallsOfEachCommunicator) { EXPECT_NE(context_of(0, 0, 4000), context_of(0, 1 << 17, 4000)); }

}  // namespace
}  // namespace clearway::simulator
