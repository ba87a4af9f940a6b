"""Functions without a name are told by those beside them that have one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from python.made_runs import world, write_all

from clearway.diagnosis.facts.tables.functions import function_rows
from clearway.diagnosis.facts.without_names import near
from clearway.ledger.profile import Function, Profile
from clearway.page.render.function_words import function_words
from clearway.run import load

LIBC, CRYPTO = "/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libcrypto.so.3"
MD5 = Function(CRYPTO, "", "MD4", "MD5_Update")
SHA1 = Function(CRYPTO, "", "SHA1_Init", "SHA224_Init")


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (MD5, "between MD4 and MD5_Update"),
        (Function("/opt/md", "", "_ZN2md4pairEv", "_ZN2md4bondEi"), "between md::pair and md::bond"),
        (Function(LIBC, "", "__nss_database_lookup", "__libc_freeres"), "memcpy, memset, strlen and the like"),
        (Function(LIBC, "", "mrand48_r", "qsort_r"), "between mrand48_r and qsort_r"),
        (Function("/opt/libother.so", "", "first", "__libc_freeres"), "between first and __libc_freeres"),
        (Function(CRYPTO, "MD5_Update", "MD4", "MD5_Final"), ""),
        (Function(CRYPTO, "", "MD4", ""), ""),
        (Function(CRYPTO, ""), ""),
    ],
)
def test_what_is_known_of_one(function: Function, told: str) -> None:
    assert near(function) == told


@pytest.mark.parametrize(
    ("md5_s", "sha1_s", "words"),
    [
        (0.6, 0.3, "(between MD4 and MD5_Update)"),
        (0.3, 0.6, "(between SHA1_Init and SHA224_Init)"),
        (0.5, 0.5, "(names are stripped)"),  # neither is most of it
    ],
)
def test_the_row_of_a_file_has_where_most_of_it_is(tmp_path: Path, md5_s: float, sha1_s: float, words: str) -> None:
    run = load(write_all(world(2), tmp_path))
    of, process = np.array([0, 1, 2], np.int32), np.array([0, 0, 1], np.int32)
    functions = (MD5, SHA1, Function("/opt/md", "main"))
    rows = function_rows(run, Profile(functions, process, of, np.array([md5_s, sha1_s, 2.0]), np.zeros(3), 0.01))
    assert [function_words(row) for row in rows] == ["main", words]
