"""What tests of workloads share with those of testbeds."""

from testbed.conftest import privileged

__all__ = ["privileged"]
