#include "simulator/tcp/dctcp.hpp"

#include <gtest/gtest.h>

#include "simulator/tcp/congestion.hpp"

namespace clearway::simulator {
namespace {

// The first acknowledgement begins a window, up to 1000; the second ends it. A sixteenth of the difference counts.
TEST(Dctcp, TheMarkedShareFollowsWindowByWindow) {
    Dctcp dctcp;
    dctcp.count(4, false, 100, 1000);
    EXPECT_FLOAT_EQ(dctcp.marked_share, 15.0F / 16);
    dctcp.count(3, false, 500, 1500);
    EXPECT_FLOAT_EQ(dctcp.marked_share, 15.0F / 16);
    dctcp.count(1, true, 1000, 2000);  // one of four
    EXPECT_FLOAT_EQ(dctcp.marked_share, 15.0F / 16 + (0.25F - 15.0F / 16) / 16);
}

TEST(Dctcp, TheWindowShrinksByHalfOfTheMarkedShare) {
    Learnt learnt;
    learnt.window = 40;
    Trouble trouble;
    trouble.dctcp().marked_share = 0.25F;
    EXPECT_FLOAT_EQ(kDctcp.after_mark(learnt, trouble), 35);
    EXPECT_FLOAT_EQ(kDctcp.after_loss(learnt, trouble), 20);
}

}  // namespace
}  // namespace clearway::simulator
