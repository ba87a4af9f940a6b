"""Each of Charm++'s processes says in one line where it is: seat RANK HOST CPU,CPU…"""

import os
import socket

from charm4py import Chare, Future, Group, charm


class Seat(Chare):
    def __init__(self):
        cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        print("seat", charm.myPe(), socket.gethostname(), cpus, flush=True)

    def done(self, all_done):
        self.reduce(all_done)


def main(_arguments):
    seats, all_said = Group(Seat), Future()
    seats.done(all_said)
    all_said.get()
    exit()


charm.start(main)
