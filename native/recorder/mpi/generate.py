"""Writes the MPI wrappers from calls.table: `python3 generate.py calls.table OUT.cpp`.

Each wrapper takes its arguments as `Arg`, calls the real function, and hands what the standard's parameter names
mean to one of the record_… functions (record_calls.hpp). A recipe below says how, for all functions of its kind.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Function:
    """One wrapped function."""

    name: str
    function_class: str
    recipe: str
    rule: str  # for collectives: which bytes this process contributes
    parameters: tuple[str, ...]
    large_count: bool


@dataclass(frozen=True)
class Recipe:
    """C++ around the call. `{parameter}` is an argument, `{count}` casts it as this variant's integer type."""

    after: str  # runs when the call returned MPI_SUCCESS
    before: str = ""
    instead: tuple[tuple[str, str], ...] = ()  # argument -> what the real function gets in its place
    failed: str = ""  # runs when it returned something else, beside the plain count
    unrecorded: str = ""  # C++ that stands for the bare call where it is not recorded


STATUS = "    StatusRoom status_room({status});\n"
STATUS_INSTEAD = (("status", "status_room.get()"),)
REQUEST = "    const Arg handle = handle_at({request}, 0);\n"
CLAIM = "    const Claim claim(*thread, &handle, 1);\n"
STATUSES_INSTEAD = (("array_of_statuses", "status_room.get()"),)
SENT = "bytes_of<{Count}>({sendcount}, {sendtype})"
BUFFER = "bytes_of<{Count}>({count}, {datatype})"
NEW_REQUEST = "handle_at({request}, 0)"
FLAG = "*reinterpret_cast<const int*>({flag}) != 0"


def requests(count: str) -> str:
    """Copies the handles, claims them, and makes room for as many statuses."""
    return (
        f"    const Requests handles({{array_of_requests}}, elements(as_int({{{count}}})));\n"
        "    const Claim claim(*thread, handles.handles(), handles.size());\n"
        f"    StatusRoom status_room({{array_of_statuses}}, elements(as_int({{{count}}})));\n"
    )


ANY = (
    "    const Requests handles({array_of_requests}, elements(as_int({count})));\n"
    "    const Claim claim(*thread, handles.handles(), handles.size());\n"
    "    StatusRoom status_room({status});\n"
)


# What a call leaves behind for those who look at a job that hangs in it, by recipe: only of calls that wait.
OF_REQUESTS = "handles.handles(), handles.size()"
OPEN = {
    "send": "{comm}, as_int({dest}), as_int({tag})",
    "receive": "{comm}, as_int({source}), as_int({tag})",
    "probe": "{comm}, as_int({source}), as_int({tag})",
    "matched_probe": "{comm}, as_int({source}), as_int({tag})",
    "send_receive": "{comm}, as_int({source}), as_int({recvtag})",
    "send_receive_replace": "{comm}, as_int({source}), as_int({recvtag})",
    "collective": "{comm}, {root}, 0",
    "new_comm": "{old}, -1, 0",
    "wait": "&handle, 1",
    "waitall": OF_REQUESTS,
    "waitany": OF_REQUESTS,
    "waitsome": OF_REQUESTS,
}
WAITING = ("send", "receive", "send_receive", "wait", "probe", "collective", "communicator")


def freed(handle: str) -> Recipe:
    """Of a call that ends a communicator or window.

    Also where it is not recorded: what is cached on a communicator (PETSc's and mpi4py's duplicates) is freed inside
    the call that frees the communicator, and its handle comes back as another's.
    """
    before = f"    CommInfo* const forgotten = forget_handle(handle_at({{{handle}}}, 0));\n"
    failed = "        remember_handle(forgotten);\n"
    unrecorded = f"end_unrecorded(handle_at({{{handle}}}, 0), [&] {{{{ return function({{{handle}}}); }}}})"
    return Recipe("bury(forgotten);\n    record_plain(call, 0);", before, (), failed, unrecorded)


FILES_BEFORE = "    const std::uint64_t files_before = thread->files_in_mpi_ticks;\n"
FILE_BEFORE = FILES_BEFORE + "    const InCallOnFile inside(*thread, {fh});\n"
ANY_INDEX = "*reinterpret_cast<const int*>({indx})"

RECIPES = {
    "plain": Recipe("record_plain(call, 0);"),
    "file_access": Recipe(f"record_file_access(call, {{fh}}, {{access}}, {BUFFER}, files_before);", FILE_BEFORE),
    "file_end": Recipe("record_file_access(call, {fh}, {access}, 0, files_before);", FILE_BEFORE),
    "file_change": Recipe("record_file_change(call, find_file({fh}), files_before);", FILES_BEFORE),
    "file_open": Recipe("record_file_open(call, {comm}, {filename}, file_at({fh}), files_before);", FILES_BEFORE),
    "file_close": Recipe(
        "record_file_change(call, closed, files_before);",
        FILES_BEFORE + "    const SharedFile closed = forget_file(file_at({fh}));\n",
        (),
        "        remember_file(closed);\n",
    ),
    "send": Recipe(f"record_send(call, {{comm}}, as_int({{dest}}), as_int({{tag}}), {BUFFER});"),
    "send_init": Recipe(
        f"record_send_init(call, {{comm}}, as_int({{dest}}), as_int({{tag}}), {BUFFER}, {NEW_REQUEST});"
    ),
    "receive": Recipe(
        "record_receive(call, {comm}, as_int({source}), as_int({tag}), status_room);", STATUS, STATUS_INSTEAD
    ),
    "start_receive": Recipe(
        f"record_start_receive(call, {{comm}}, as_int({{source}}), as_int({{tag}}), {BUFFER}, {NEW_REQUEST}, false);"
    ),
    "receive_init": Recipe(
        f"record_start_receive(call, {{comm}}, as_int({{source}}), as_int({{tag}}), {BUFFER}, {NEW_REQUEST}, true);"
    ),
    "send_receive": Recipe(
        f"record_send_receive(call, {{comm}}, as_int({{dest}}), as_int({{sendtag}}), {SENT},\n"
        "                             as_int({source}), as_int({recvtag}), status_room);",
        STATUS,
        STATUS_INSTEAD,
    ),
    "send_receive_replace": Recipe(
        f"record_send_receive(call, {{comm}}, as_int({{dest}}), as_int({{sendtag}}), {BUFFER},\n"
        "                             as_int({source}), as_int({recvtag}), status_room);",
        STATUS,
        STATUS_INSTEAD,
    ),
    "start_send_receive": Recipe(
        f"record_start_send_receive(call, {{comm}}, as_int({{dest}}), as_int({{sendtag}}), {SENT},\n"
        "                                   as_int({source}), as_int({recvtag}),\n"
        f"                                   bytes_of<{{Count}}>({{recvcount}}, {{recvtype}}), {NEW_REQUEST});"
    ),
    "start_send_receive_replace": Recipe(
        f"record_start_send_receive(call, {{comm}}, as_int({{dest}}), as_int({{sendtag}}), {BUFFER},\n"
        f"                                   as_int({{source}}), as_int({{recvtag}}), {BUFFER}, {NEW_REQUEST});"
    ),
    "start": Recipe("record_start(call, handle_at({request}, 0));"),
    "startall": Recipe(
        "record_startall(call, handles);",
        "    const Requests handles({array_of_requests}, elements(as_int({count})));\n",
    ),
    "probe": Recipe("record_probe(call, {comm}, as_int({source}), true, status_room);", STATUS, STATUS_INSTEAD),
    "try_probe": Recipe(
        f"record_probe(call, {{comm}}, as_int({{source}}), {FLAG}, status_room);", STATUS, STATUS_INSTEAD
    ),
    "matched_probe": Recipe(
        "record_matched_probe(call, {comm}, as_int({source}), status_room, handle_at({message}, 0));",
        STATUS,
        STATUS_INSTEAD,
    ),
    "try_matched_probe": Recipe(
        f"record_matched_probe(call, {{comm}}, as_int({{source}}), status_room,\n"
        f"                              {FLAG} ? handle_at({{message}}, 0) : 0);",
        STATUS,
        STATUS_INSTEAD,
    ),
    "matched_receive": Recipe(
        "record_matched_receive(call, matched, status_room);",
        "    const MatchedMessage matched(handle_at({message}, 0));\n" + STATUS,
        STATUS_INSTEAD,
    ),
    "start_matched_receive": Recipe(
        f"record_start_matched_receive(call, matched, {BUFFER}, {NEW_REQUEST});",
        "    const MatchedMessage matched(handle_at({message}, 0));\n",
    ),
    "wait": Recipe("record_completion(call, handle, true, status_room);", REQUEST + CLAIM + STATUS, STATUS_INSTEAD),
    "test": Recipe(f"record_completion(call, handle, {FLAG}, status_room);", REQUEST + CLAIM + STATUS, STATUS_INSTEAD),
    "waitall": Recipe("record_completions(call, handles, true, status_room);", requests("count"), STATUSES_INSTEAD),
    "testall": Recipe(f"record_completions(call, handles, {FLAG}, status_room);", requests("count"), STATUSES_INSTEAD),
    "waitany": Recipe(f"record_any(call, handles, {ANY_INDEX}, status_room);", ANY, STATUS_INSTEAD),
    "testany": Recipe(f"record_any(call, handles, {FLAG} ? {ANY_INDEX} : -1, status_room);", ANY, STATUS_INSTEAD),
    "waitsome": Recipe(
        "record_some(call, handles, *reinterpret_cast<const int*>({outcount}), {array_of_indices}, status_room);",
        requests("incount"),
        STATUSES_INSTEAD,
    ),
    "testsome": Recipe(
        "record_some(call, handles, *reinterpret_cast<const int*>({outcount}), {array_of_indices}, status_room);",
        requests("incount"),
        STATUSES_INSTEAD,
    ),
    "forget_request": Recipe("record_plain(call, 0);", "    forget_posted(handle_at({request}, 0));\n"),
    "cancel": Recipe("record_plain(call, 0);", "    mark_cancelled(handle_at({request}, 0));\n"),
    "collective": Recipe("record_collective(call, {comm}, {root}, {volume});"),
    "collective_start": Recipe(
        f"record_collective_start(call, {{comm}}, {{root}}, {{volume}}, {NEW_REQUEST}, {{persistent}});"
    ),
    "new_comm": Recipe("record_new_comm(call, {old}, handle_at({new}, 0));"),
    "new_comm_group": Recipe("record_new_comm(call, 0, handle_at({new}, 0));"),
    "comm_start": Recipe(f"record_collective_start(call, {{comm}}, -1, Volume{{{{0, 0}}}}, {NEW_REQUEST}, false);"),
    "free_comm": freed("comm"),
    "transfer": Recipe(
        "record_one_sided("
        "call, {win}, as_int({target_rank}), bytes_of<{Count}>({origin_count}, {origin_datatype}), true);"
    ),
    "transfer_one": Recipe("record_one_sided(call, {win}, as_int({target_rank}), type_bytes({datatype}), true);"),
    "window": Recipe("record_one_sided(call, {win}, -1, 0, false);"),
    "window_rank": Recipe("record_one_sided(call, {win}, as_int({rank}), 0, false);"),
    "fence": Recipe("record_fence(call, {win});"),
    "new_window": Recipe("record_new_window(call, {comm}, handle_at({win}, 0));"),
    "free_window": freed("win"),
}

# Bytes that this process contributes to a collective. `sent` and `received` honour MPI_IN_PLACE.
VOLUMES = {
    "none": "Volume{{0, 0}}",
    "once": "once(bytes_of<{Count}>({count}, {datatype}))",
    "blocks": "repeated(bytes_of<{Count}>({recvcount}, {datatype}), peers_of({comm}))",
    "received_counts": "divided(sum_counts<{Count}>({recvcounts}, locals_of({comm})) * type_bytes({datatype}),"
    " peers_of({comm}))",
    "contribution": "once({sendbuf} == abi.in_place ? 0 : bytes_of<{Count}>({sendcount}, {sendtype}))",
    "contribution_in_place": "once({sendbuf} == abi.in_place ? bytes_of<{Count}>({recvcount}, {recvtype})"
    " : bytes_of<{Count}>({sendcount}, {sendtype}))",
    "scatter": "!is_root({comm}, as_int({root})) ? Volume{{0, 0}}"
    " : repeated(bytes_of<{Count}>({sendcount}, {sendtype}), peers_of({comm}))",
    "scatter_counts": "!is_root({comm}, as_int({root})) ? Volume{{0, 0}}"
    " : divided(sum_counts<{Count}>({sendcounts}, peers_of({comm})) * type_bytes({sendtype}), peers_of({comm}))",
    "each": "repeated({sendbuf} == abi.in_place ? bytes_of<{Count}>({recvcount}, {recvtype})"
    " : bytes_of<{Count}>({sendcount}, {sendtype}), peers_of({comm}))",
    "counts": "divided({sendbuf} == abi.in_place"
    " ? sum_counts<{Count}>({recvcounts}, peers_of({comm})) * type_bytes({recvtype})"
    " : sum_counts<{Count}>({sendcounts}, peers_of({comm})) * type_bytes({sendtype}), peers_of({comm}))",
    "counts_types": "divided({sendbuf} == abi.in_place"
    " ? sum_bytes<{Count}>({recvcounts}, {recvtypes}, peers_of({comm}))"
    " : sum_bytes<{Count}>({sendcounts}, {sendtypes}, peers_of({comm})), peers_of({comm}))",
    "each_neighbour": "repeated(bytes_of<{Count}>({sendcount}, {sendtype}), neighbours_of({comm}))",
    "neighbour_counts": "divided(sum_counts<{Count}>({sendcounts}, neighbours_of({comm})) * type_bytes({sendtype}),"
    " neighbours_of({comm}))",
    "neighbour_counts_types": "divided(sum_bytes<{Count}>({sendcounts}, {sendtypes}, neighbours_of({comm})),"
    " neighbours_of({comm}))",
}

COUNT_PARAMETERS = {"count", "sendcount", "sendcounts", "recvcount", "recvcounts", "origin_count"}
# What MPI_X takes as `int` where MPI_X_c takes a larger type, singly and as arrays with one for each rank.
NARROW = {"count", "sendcount", "recvcount", "origin_count", "result_count", "target_count", "disp_unit"}
NARROW_ARRAYS = {"sendcounts", "recvcounts", "sdispls", "rdispls", "displs"}
TYPE_PARAMETERS = {"datatype", "sendtype", "sendtypes", "recvtype", "origin_datatype"}

PREAMBLE = """\
// Written by native/recorder/mpi/generate.py from calls.table. Do not edit.
#include "recorder/mpi/record_calls.hpp"
#include "recorder/mpi/functions.hpp"
#include "recorder/mpi/messages.hpp"
#include "recorder/mpi/narrow.hpp"
#include "recorder/mpi/open_call.hpp"
#include "recorder/mpi/shared_files.hpp"

#define CLEARWAY_EXPORT extern "C" [[gnu::visibility("default")]]

namespace clearway::recorder {
namespace {

[[maybe_unused]] std::size_t elements(int count) { return count > 0 ? static_cast<std::size_t>(count) : 0; }

// A datatype is looked at only where the count makes it significant.
template <class Count>
std::uint64_t bytes_of(Arg count, Arg datatype) {
    const auto n = static_cast<Count>(count);
    return n > 0 ? static_cast<std::uint64_t>(n) * type_bytes(datatype) : 0;
}

}  // namespace
"""


def read_table(path: Path) -> list[Function]:
    """The functions of calls.table, each followed by its large-count variant if it has one."""
    functions = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\w+) +(\w+)(?: (\w+))? +(MPI_\w+)\((.*)\)", line.strip())
        if match is None:
            raise SystemExit(f"{path}:{number}: not 'class recipe MPI_Name(parameters)': {line}")
        function_class, recipe, rule, name, parameter_list = match.groups()
        parameters = tuple(p for p in parameter_list.split(", ") if p)
        functions.append(Function(name, function_class, recipe, rule or "", parameters, False))
        has_count = bool(COUNT_PARAMETERS & set(parameters)) and bool(TYPE_PARAMETERS & set(parameters))
        if (has_count and "partitions" not in parameters) or (recipe == "new_window" and "size" in parameters):
            functions.append(Function(name + "_c", function_class, recipe, rule or "", parameters, True))
    return functions


def fill(template: str, function: Function) -> str:
    """Puts parameter names, count type and volume into a piece of a recipe."""
    root = "as_int(root)" if "root" in function.parameters else "-1"
    names = {p: p for p in function.parameters}
    volume = VOLUMES[function.rule] if function.rule else ""
    if function.rule == "contribution" and "recvcount" in function.parameters:
        volume = VOLUMES["contribution_in_place"]
    new = next((p for p in reversed(function.parameters) if "comm" in p), "comm")
    old = next((p for p in function.parameters if p in ("comm", "comm_old", "intercomm")), "comm")
    values = {**names, "Count": "Arg" if function.large_count else "int", "new": new, "old": old}
    persistent = "true" if function.name.removesuffix("_c").endswith("_init") else "false"
    values["access"] = file_access(function.name.removesuffix("_c"))
    return template.format(**{**values, "root": root, "volume": volume.format(**values), "persistent": persistent})


def file_access(name: str) -> str:
    """C++ of what a call does to a file."""
    collective = "_all" in name or "_ordered" in name
    together = collective and not name.endswith("_begin") and not name.startswith("MPI_File_i")
    told = ("write" in name, collective, together, not name.endswith("_end"))
    return f"FileAccess{{{', '.join(str(each).lower() for each in told)}}}"


def wrapper(number: int, function: Function) -> str:
    """C++ of one wrapper, under both names."""
    recipe = RECIPES[function.recipe]
    parameters = ", ".join(f"Arg {p}" for p in function.parameters)
    swaps = dict(recipe.instead)
    arguments = ", ".join(swaps.get(p, p) for p in function.parameters)
    types = ", ".join("Arg" for _ in function.parameters)
    names = ", ".join(function.parameters)
    neighbours = "    describe_neighbours(comm);\n" if "eighbor" in function.name else ""
    waits = function.function_class in WAITING and function.recipe in OPEN
    opened = f"    note_open(*thread, {number}, {fill(OPEN[function.recipe], function)});\n" if waits else ""
    timing = ", Timing::sampled" if function.function_class == "poll" else ""
    unrecorded = fill(recipe.unrecorded, function) if recipe.unrecorded else f"function({names})"
    return f"""
[[gnu::always_inline]] static inline int record_{function.name}(Name name, {parameters}) {{
    const auto function = reinterpret_cast<int (*)({types})>(real_function({number}, name));
    ThreadState* thread = enter();
    if (thread == nullptr) return {unrecorded};
{fill(recipe.before, function)}    Call call(*thread, {number}{timing});
{opened}    const int result = function({arguments});
    call.leave();
    if (result != 0) {{
{recipe.failed}        record_plain(call, 0);
        return result;
    }}
{neighbours}    {fill(recipe.after, function)}
    return result;
}}
CLEARWAY_EXPORT int {function.name}({parameters}) {{ return record_{function.name}(Name::mpi, {names}); }}
CLEARWAY_EXPORT int P{function.name}({parameters}) {{ return record_{function.name}(Name::pmpi, {names}); }}
"""


def narrow_arrays(function: Function) -> list[str]:
    """MPI_Neighbor_alltoallw has displacements that are large already."""
    places = {"sdispls", "rdispls"} if "eighbor_alltoallw" in function.name else set()
    return [p for p in function.parameters if p in NARROW_ARRAYS - places]


def length(function: Function, array: str) -> str:
    """C++ of how many elements it has."""
    if "eighbor" in function.name:
        return "neighbours_to(comm)" if array in ("sendcounts", "sdispls") else "neighbours_from(comm)"
    return "ranks_beside(comm)" if "educe_scatter" in function.name else "ranks_opposite(comm)"


def narrow(own_id: int, function: Function) -> str:
    """C++ of MPI_X_c by MPI_X, whose id is one less."""
    parameters = ", ".join(f"Arg {p}" for p in function.parameters)
    arrays = narrow_arrays(function)
    rooted = "is_root_of(comm, as_int(root))" if "root" in function.parameters else "true"
    keeps = function.name.startswith("MPI_I") or function.name.endswith("_init_c")
    lines = []
    for array in arrays:
        sent = array in ("sendcounts", "sdispls") and "recvbuf" in function.parameters and rooted == "true"
        is_read = f"{rooted} && sendbuf != abi.in_place" if sent else rooted
        # The root alone has them, of as many as there are on the other side.
        number = f"{is_read} ? {length(function, array)} : 0"
        made = f"{array}, {number}, {is_read}, {str(keeps).lower()}"
        lines.append(f"    const NarrowArray narrow_{array}({made});\n")
    tests = [f"is_int({p})" for p in function.parameters if p in NARROW] + [f"narrow_{p}.fits()" for p in arrays]
    arguments = ", ".join(f"narrow_{p}.get()" if p in arrays else p for p in function.parameters)
    types = ", ".join("Arg" for _ in function.parameters)
    return f"""
template <Name name>
int narrow_{function.name}({parameters}) {{
{"".join(lines)}    if (!({" && ".join(tests) or "true"})) return kMissing;
    return reinterpret_cast<int (*)({types})>(real_function({own_id - 1}, name))({arguments});
}}
"""


def narrow_table(functions: list[Function]) -> str:
    """By id and name."""
    address = "reinterpret_cast<void*>(narrow_{}<Name::{}>)"
    rows = "\n".join(
        f"    {{{address.format(f.name, 'mpi')}, {address.format(f.name, 'pmpi')}}},"
        if f.large_count
        else "    {nullptr, nullptr},"
        for f in functions
    )
    return f"void* const narrow_functions[][2] = {{\n    {{nullptr, nullptr}},\n{rows}\n}};"


def generate(functions: list[Function]) -> str:
    """The whole C++ file. A function's id is its place in the table, from 1."""
    names = "\n".join(f'    {{"{f.name}", FunctionClass::{f.function_class}}},' for f in functions)
    wrappers = "".join(wrapper(i, f) for i, f in enumerate(functions, 1) if f.recipe != "by_hand")
    narrows = "".join(narrow(i, f) for i, f in enumerate(functions, 1) if f.large_count)
    ids = "\n".join(
        f"extern const std::uint16_t k{f.name} = {i};" for i, f in enumerate(functions, 1) if f.recipe == "by_hand"
    )
    return f"""{PREAMBLE}
const WrappedFunction wrapped_functions[] = {{
    {{"", FunctionClass::local}},
{names}
}};
const std::uint16_t wrapped_function_count = {len(functions)};
void* real_functions[{len(functions) + 1}][2];

namespace {{
{narrows}
}}  // namespace
{narrow_table(functions)}

{ids}
{wrappers}
}}  // namespace clearway::recorder
"""


def main() -> None:
    table, output = Path(sys.argv[1]), Path(sys.argv[2])
    output.write_text(generate(read_table(table)))


if __name__ == "__main__":
    main()
