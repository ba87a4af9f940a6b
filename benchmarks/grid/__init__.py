"""The simulator judged by a testbed: scenarios that nobody chose, measured with real TCP and MPIs, and simulated."""
