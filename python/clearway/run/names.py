"""Functions and communicators under numbers that hold for the whole Run.

In a record they have numbers of that process; the name of a function and the id of a communicator mean the
same everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.run.layout import COMM_INTER, FunctionClass, text

MOST_FUNCTIONS = 4096  # MPI has some 500; more are a corrupt record's, and count as unknown
UNKNOWN = 0  # the number of a function or communicator that its record does not describe


@dataclass(frozen=True, slots=True)
class Function:
    """A recorded function: its name as in the MPI standard, and what it is to the ledger."""

    name: str
    function_class: FunctionClass


class Functions:
    """All functions of a Run; number 0 is the unknown one."""

    def __init__(self) -> None:
        self.all: list[Function] = [Function("unknown", FunctionClass.UNKNOWN)]
        self._number: dict[tuple[bytes, int], int] = {}

    def add(self, cells: NDArray[np.void]) -> NDArray[np.int32]:
        """Numbers by a record's own ids (its FunctionName cells): `result[min(id, len - 1)]`."""
        ids = cells["id"]
        numbers = np.zeros(int(ids.max()) + 2 if len(ids) else 1, np.int32)
        for identifier, class_number, name in zip(
            ids.tolist(), cells["function_class"].tolist(), cells["name"].tolist(), strict=True
        ):
            key = (name, class_number)
            number = self._number.get(key)
            if number is None and len(self.all) < MOST_FUNCTIONS:
                number = self._number[key] = len(self.all)
                self.all.append(Function(text(name), _class(class_number)))
            if number is not None and identifier != 0:
                numbers[identifier] = number
        return numbers

    def classes(self) -> NDArray[np.int16]:
        """FunctionClass by function number."""
        return np.array([function.function_class for function in self.all], np.int16)

    def named(self, *names: str) -> NDArray[np.bool_]:
        """By function number: whether it is one of `names`, or its variant for large counts (MPI_Bcast_c)."""
        wanted = set(names)
        return np.array([function.name.removesuffix("_c") in wanted for function in self.all], np.bool_)


def _class(number: int) -> FunctionClass:
    try:
        return FunctionClass(number)
    except ValueError:
        return FunctionClass.UNKNOWN


@dataclass(slots=True)
class Communicator:
    """A communicator as its members describe it. `members` maps process index to rank in the communicator."""

    name: str
    size: int
    remote_size: int
    inter: bool
    members: dict[int, int]


class Communicators:
    """All communicators of a Run; number 0 is the unknown one."""

    def __init__(self) -> None:
        self.all: list[Communicator] = [Communicator("unknown", 0, 0, False, {})]
        self._number: dict[int, int] = {}

    def add(self, process: int, cells: NDArray[np.void]) -> NDArray[np.int32]:
        """Numbers by a record's own indices (its CommCells): `result[min(index, len - 1)]`."""
        indices = cells["index"]
        numbers = np.zeros(int(indices.max()) + 2 if len(indices) else 1, np.int32)
        for index, flags, size, my_rank, remote_size, identity, name in cells.tolist():
            if index == 0xFFFF:
                continue
            # MPI_COMM_SELF and its like: equal ids would be a coincidence, and each is alone in it anyway.
            number = self._number.get(identity) if size + remote_size > 1 else None
            if number is None:
                number = len(self.all)
                if size + remote_size > 1:
                    self._number[identity] = number
                self.all.append(Communicator(text(name), size, remote_size, bool(flags & COMM_INTER), {}))
            self.all[number].members[process] = my_rank
            numbers[index] = number
        return numbers


def renumbered(own: NDArray[np.uint16], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers of the Run for a record's own; what it does not describe is UNKNOWN."""
    return numbers[np.minimum(own.astype(np.int32), len(numbers) - 1)]
