#include "io_cache/files/write_back.hpp"

#include <gtest/gtest.h>

namespace clearway::io_cache {
namespace {

constexpr Event kEvents[] = {
    Event::grows,     Event::is_asked_for, Event::is_walked,    Event::closes_one,
    Event::closes,    Event::is_synced,    Event::starts_child, Event::changes_attributes,
    Event::gets_name, Event::is_locked,    Event::ends,
};

TEST(WriteBack, AFileThatOthersMaySeeIsNeverLeftAsItIs) {
    for (const Event event : kEvents) EXPECT_NE(duty(event, Privacy::shared), Duty::nothing);
}

TEST(WriteBack, NobodysFileIsWrittenOnlyWhereTheProgramAsksForIt) {
    for (const Event event : {Event::grows, Event::is_asked_for, Event::is_walked, Event::closes_one, Event::closes,
                              Event::starts_child, Event::ends})
        EXPECT_EQ(duty(event, Privacy::nameless), Duty::nothing);
    EXPECT_EQ(duty(Event::is_synced, Privacy::nameless), Duty::all);
}

TEST(WriteBack, WhatIsMoreOpenToOthersIsNeverOwedLess) {
    for (const Event event : kEvents) {
        EXPECT_GE(duty(event, Privacy::shared), duty(event, Privacy::scratch));
        EXPECT_GE(duty(event, Privacy::scratch), duty(event, Privacy::nameless));
    }
}

TEST(WriteBack, AClosedFileThatOthersMaySeeIsNotInTheCache) {
    EXPECT_EQ(duty(Event::closes, Privacy::shared), Duty::stop_caching);
}

}  // namespace
}  // namespace clearway::io_cache
