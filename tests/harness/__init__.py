"""What the tests of real jobs share: the MPIs of this machine, their programs, and runs of these."""
