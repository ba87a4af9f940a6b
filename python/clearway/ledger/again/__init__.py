"""The calls of a recorded job again, in their own order, with durations that may be others: what comes of the waits?"""
