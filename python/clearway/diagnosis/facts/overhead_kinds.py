"""Functions that serve a computation and are not part of it, by their names: clocks, locks, allocators, checks.

Known are those of C's and C++'s libraries, of compilers' runtimes, of the dynamic linker, of common allocators and
compressors, and of Python's interpreter. Nothing is known of functions of an engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ANY = ".*"
LIBC = r"libc[-.](\d[\d.]*\.)?so.*|libc\.musl.*"
GOMP = r"libgomp\.so.*"
KMP = r"libi?omp5?\.so.*"
# What an MPI answers at once, without a message. The recorder leaves these calls alone: they count as computing.
ANSWERED_AT_ONCE = (
    r"P?MPI_(Pack(_size|_external)?|Unpack(_external)?|Comm_(rank|size|get_attr)|Type_(size|get_extent|extent|lb|ub)(_x)?"
    r"|Get_(count|address|elements)|Address|Initialized|Finalized|Is_thread_main|Query_thread|Attr_get)"
)
PYTHON = r"(lib)?python[23](\.\d+)?.*"


@dataclass(frozen=True, slots=True)
class Where:
    """Functions with such names, of files with such names: patterns for the whole of it."""

    files: str
    names: str = ANY
    nameless: bool = False  # the file's functions without a name, too
    gap: tuple[str, str] | None = None  # or those without one that stand between these two


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of such functions."""

    title: str  # of a finding
    why: str  # what it means, and what to do; in lines
    where: tuple[Where, ...]
    comes_back: float = 0.9  # of its time, if the program is mended


KINDS: Mapping[str, Kind] = {  # what stands first is asked first
    "clock": Kind(
        "The program reads the clock all the time",
        """Each reading takes 20 to 50 ns. Where it is done for each pair, each atom or each item of a loop, the
        clock takes longer than what it measures. Usual causes: timers in the innermost loop (`MPI_Wtime`,
        `omp_get_wtime`, `system_clock`), a build with detailed timing, a look at the time to see whether to
        stop. Read it once a step.""",
        (
            Where(r"\[vdso\]", ANY, True),
            Where(LIBC, r"(__)?(clock_gettime|gettimeofday|times?|clock|clock_getres)(64)?"),
            Where(r"libmpi.*|libmpich.*", r"P?MPI_Wtime"),
            Where(f"{GOMP}|{KMP}", r"omp_get_wtime_?|omp_get_wtick_?"),
            Where(r"libgfortran\.so.*", r"_gfortran_(system_clock|cpu_time|date_and_time|etime|second).*"),
        ),
    ),
    "allocation": Kind(
        "The program allocates and frees memory all the time",
        """Each pair of calls takes 20 to 100 ns, and more where threads share it. Usual causes: vectors, strings
        or lists that are made anew for each atom, pair or step; arrays as function results; automatic arrays on
        the heap. Keep them from step to step. An allocator made for threads (jemalloc, tcmalloc, mimalloc) may
        take less, without a new build: `LD_PRELOAD=libjemalloc.so.2`.""",
        (
            Where(
                LIBC,
                r"(__libc_)?(malloc|free|calloc|realloc|memalign|cfree|aligned_alloc|posix_memalign|valloc|pvalloc"
                r"|malloc_usable_size|malloc_trim|mallopt|mallinfo2?|reallocarray)|_int_(malloc|free|realloc|memalign)"
                r"|malloc_consolidate|unlink_chunk.*|sysmalloc.*|tcache_.*|systrim.*|alloc_perturb",
            ),
            Where(r"lib(jemalloc|tcmalloc.*|mimalloc|hoard|tbbmalloc.*)\.so.*", ANY, True),
            Where(r"libstdc\+\+\.so.*", r"operator (new|delete).*|_Zn[wa].*|_Zd[la].*"),
        ),
        comes_back=0.5,
    ),
    "exceptions": Kind(
        "The program throws and catches exceptions all the time",
        """Each takes a microsecond and more, as long as thousands of operations, for the runtime looks for the
        handler in tables of all libraries. Usual causes: an error that is expected and handled again and again
        (a text that is no number, a key that is not there, a lookup out of range). Ask first, instead of
        catching.""",
        (
            Where(r"libgcc_s\.so.*", r"_Unwind_.*|__register_frame.*", True),
            Where(
                r"libstdc\+\+\.so.*",
                r"__cxa_(throw|begin_catch|end_catch|allocate_exception|free_exception|rethrow)|__gxx_pers.*",
            ),
            Where(LIBC, r"dl_iterate_phdr"),
        ),
        comes_back=0.9,
    ),
    "handing-out": Kind(
        "OpenMP hands out the iterations of loops one by one",
        """With a dynamic or guided schedule threads ask for each piece of a loop, and all of them write to one
        counter. That pays only if a piece takes microseconds. Usual causes: `schedule(dynamic)` or
        `OMP_SCHEDULE=dynamic` for short iterations; `schedule(runtime)` with GCC, which is `dynamic` where
        `OMP_SCHEDULE` is not set. Try `OMP_SCHEDULE=static`, or larger pieces: `schedule(dynamic, 64)`.""",
        (
            Where(GOMP, r"GOMP_loop_.*(next|start).*", gap=(r"omp_get_device_num.*", r"GOMP_loop_.*")),
            Where(KMP, r"__kmpc_dispatch_next.*|__kmp_dispatch.*|__kmpc_dispatch_init.*"),
        ),
        comes_back=0.8,
    ),
    "locks": Kind(
        "The program takes and gives back locks all the time",
        """A lock that nobody holds takes 20 ns, one that threads fight for a hundred times as long. Usual causes:
        a critical section or a lock for each item; random numbers, printing or allocating by several threads; a
        shared counter. Give each thread its own and join them at the end (`reduction`).""",
        (
            Where(GOMP, r"GOMP_(critical|atomic|ordered)_.*|omp_(un)?set_(nest_)?lock.*|omp_test_lock.*|gomp_mutex_.*"),
            Where(
                KMP, r"__kmpc_(end_)?critical.*|__kmp_(acquire|release)_.*lock.*|__kmpc_atomic_.*|omp_(un)?set_lock.*"
            ),
            Where(
                LIBC + r"|libpthread.*", r"(__)?pthread_(mutex|spin|rwlock)_.*|__lll_.*lock.*|sem_(wait|post|trywait)"
            ),
        ),
    ),
    "soft-numbers": Kind(
        "Numbers of 16 bytes are computed by software",
        """Processors have no arithmetic for `real(16)`, `__float128` or (on Arm) `long double`: each operation is
        a call of some ten to hundred ns, where a `double` takes less than one. Usual causes:
        `-freal-8-real-16`, `-r16`, `1.0q0`, a kind chosen by too many digits. Use 8 bytes where they are
        enough.""",
        (
            Where(
                ANY,
                r"__(add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|cmp|unord)tf[23]|__(extend|trunc|fix|fixuns|float|floatun).*tf.*",
            ),
            Where(r"libquadmath\.so.*", ANY, True),
        ),
    ),
    "complex-numbers": Kind(
        "Quotients of complex numbers are calls of a function",
        """For each quotient of complex numbers (and each product that is no number) the C standard asks what to do
        with infinities, and the compiler calls a function for that. With `-fcx-limited-range`, `-fcx-fortran-rules`
        or `-ffast-math` it divides in line.""",
        (Where(ANY, r"__(mul|div)[dsxh]c3"),),
        comes_back=0.5,
    ),
    "instrumentation": Kind(
        "The program is built to be watched, not to be fast",
        """These functions are put into a program by the compiler for profiling, coverage or finding faults. Build
        it without: no `-pg`, `-finstrument-functions`, `--coverage`, `-fsanitize=…`.""",
        (
            Where(
                ANY,
                r"_?_?mcount(_internal)?|__fentry__|__cyg_profile_func_.*|_?_?gcov_.*|llvm_gcov.*|__(asan|tsan|ubsan|msan|hwasan)_.*"
                r"|__llvm_profile.*|__sanitizer.*|__stack_chk_fail|_dl_mcount.*|_dl_profile_fixup|__tau.*|SCOREP_.*|Tau_.*",
            ),
            Where(r"lib(asan|tsan|ubsan|lsan|scorep.*|TAU.*|extrae.*|gcov)\.so.*", ANY, True),
        ),
    ),
    "checked-memory": Kind(
        "Each allocation of memory is checked for mistakes",
        """Such a check is made to find bugs: it writes around each block of memory, looks at it when the block is given
        back, and may give each block a page of its own. Look for what is loaded before the program (`LD_PRELOAD`:
        libefence, libduma, libdmalloc, libc_malloc_debug, heaptrack), and for `PYTHONMALLOC=debug`,
        `PYTHONDEVMODE` and `MALLOC_CHECK_` in job scripts, modules and `~/.bashrc`. Leave it out.""",
        (
            Where(
                r"lib(efence|duma|dmalloc\w*|c_malloc_debug|heaptrack\w*|mtrace|memusage|njamd|fiu\w*)[-.].*", ANY, True
            ),
            Where(PYTHON, r"_Py(Mem|Object)_Debug\w*|fill_mem_debug|bumpserialno|(read|write)_size_t"),
        ),
    ),
    "mpi-for-each": Kind(
        "The program calls the MPI for each single number",
        """Each of these calls takes 5 to 50 ns and sends nothing. Usual causes: `MPI_Pack` and `MPI_Unpack` for each
        number, where one call takes a whole array; `MPI_Comm_rank`, `MPI_Comm_size` or `MPI_Type_size` in the innermost
        loop; libraries that pack objects member by member (Boost.MPI), or ask whether the MPI runs. Pack arrays, and
        ask once.""",
        (
            Where(
                r"lib(p?mpi(ch|fort|cxx|_.*|_mpifh|gf?|i)?)[-.].*",
                ANSWERED_AT_ONCE,
            ),
        ),
    ),
    "loading": Kind(
        "The program looks up libraries or their functions all the time",
        """Looking for a function by its name takes a microsecond and more, and grows with the number of libraries.
        Usual causes: `dlopen` or `dlsym` in a loop; a plug-in that is loaded for each step; a tool in
        `LD_AUDIT`. Look it up once, and keep the address.""",
        (
            Where(
                r"ld-(linux|musl|\d).*|ld64\.so.*",
                r"_dl_(lookup|open|map|relocate|fixup|sym|close|load).*|do_lookup.*|_dl_runtime.*"
                r"|_dl_catch.*|_dl_find.*|_dl_check.*|_dl_name_match.*|check_match.*|strcmp",
                True,
            ),
            Where(LIBC, r"(__)?dl(sym|open|close|vsym|addr)|_dl_.*"),
        ),
    ),
    "checksums": Kind(
        "The program makes checksums of data while it computes",
        """A gigabyte takes 0.1 to 2 s, the longest where the processor has no instructions for it. Usual causes: a
        checksum of each snapshot, MD5 or SHA-2 as the key of a table; a compressed file needs some of them, too.
        Make them afterwards, or with a faster one (xxHash, CRC-32C) where it only has to find errors.""",
        (
            Where(r"libcrypto[-.].*|libgcrypt[-.].*|libnettle[-.].*", r"(MD[245]|SHA\d+|RIPEMD160|BLAKE2[bs])(_\w+)?"),
            Where(r"_(md5|sha\d+|sha[23]|blake2)\..*", ANY, True),  # Python's own
            Where(ANY, r"adler32\w*|crc32(_z|c\w*)?|XXH\d+_\w+"),
        ),
        comes_back=0.7,
    ),
    "compression": Kind(
        "The program compresses or unpacks data while it computes",
        """Compressing takes some ten times as long as writing. Write less often, choose a faster level (zlib 1,
        zstd 1, lz4), or compress after the job. In HDF5 a chunk that is larger than the cache of chunks is unpacked
        and compressed again for each part of it that is written: make chunks smaller, or the cache larger
        (`rdcc_nbytes`).""",
        (
            Where(r"lib(z|zstd|lzma|bz2|lz4|deflate|blosc2?|snappy|brotli.*|sz|zfp)[-.].*", ANY, True),
            Where(
                ANY,
                r"(deflate|inflate)(_fast|_slow|_stored|Init.*|End|Reset.*)?|longest_match|ZSTD_.*|LZ4_.*",
            ),
        ),
        comes_back=0.5,
    ),
    "environment": Kind(
        "The program looks for variables of its environment all the time",
        """`getenv` compares the name with all that there are: a microsecond in the environment of a batch job with
        modules. Usual causes: a debugging switch that is asked for in a loop. Ask once, and keep the answer.""",
        (Where(LIBC, r"(__)?(secure_)?(getenv|setenv|putenv|unsetenv)"),),
    ),
    "random-numbers": Kind(
        "The program draws very many random numbers of the C library",
        """`rand` and `random` take a lock for each number, and their quality is poor. Use a generator of C++'s
        `<random>`, of the GSL or of the engine, one for each thread.""",
        (Where(LIBC, r"s?rand(om)?(_r)?|[dlmn]rand48(_r)?|erand48(_r)?"),),
    ),
    "text": Kind(
        "Much of the computing turns numbers into text, or text into numbers",
        """Each number takes 0.1 to 1 µs. Usual causes: formatted output at each step, input in text that is read
        again, names or keys made of numbers. Write less often, or binary.""",
        (
            Where(
                LIBC,
                r"_?_?(parse_printf_format|register_printf.*|v?[sf]?n?w?printf|v?[sf]?w?scanf|vf?printf_.*|strto(d|f|ld|l|ul|ll|ull|64).*|ato[ifl]l?|printf_fp.*|_IO_.*"
                r"|____strto.*|__mpn_.*|__printf_.*|__isoc(99|23)_.*scanf|getdelim|getline|puts|fputs|strfrom.*)",
                gap=(r"__xpg_basename", r"strfrom.*"),  # arithmetic with long numbers
            ),
            Where(
                r"libstdc\+\+\.so.*",
                r".*(num_put|num_get|basic_ostream|basic_istream|basic_streambuf|basic_filebuf|basic_stringbuf"
                r"|__convert_to_v|_M_insert|_M_extract|from_chars|to_chars|basic_ios|locale::|use_facet).*",
            ),
            Where(
                r"libgfortran\.so.*",
                r"_gfortran_(transfer|st)_.*|.*(write|read)_.*|.*get_float_string.*|next_format.*|parse_format.*",
            ),
            Where(  # of Python: numbers of its own, one by one, into text and back
                PYTHON,
                r"(_Py_dg_(dtoa|strtod|freedtoa)|quorem|multadd|pow5mult|mult|lshift|bigcomp|b2d|s2b|Balloc|Bfree"
                r"|_Py_[gs]et_387controlword|PyOS_(double_to_string|string_to_double)|format_float_(short|internal)"
                r"|float_(repr|from_string\w*)|_?PyFloat_FromString|long_to_decimal_string\w*"
                r"|long_from_(string|non_binary|binary)\w*|PyLong_FromString)(\.(part|constprop|isra)\.\d+)*",
            ),
        ),
        comes_back=0.7,
    ),
    "types": Kind(
        "The program asks objects for their type all the time",
        """`dynamic_cast` compares types by their names, up to the top of the hierarchy: 20 to 200 ns. Usual causes: a
        cast for each atom or item; text streams that are made anew for each line. Ask once, or call a virtual
        function.""",
        (Where(r"libstdc\+\+\.so.*", r"__dynamic_cast|__cxxabiv1::.*"),),
    ),
    "not-optimised": Kind(
        "The program was compiled without optimisation",
        """An optimising compiler puts functions of one line (`std::vector`'s `size` and `operator[]`) into the loop
        that calls them. Here they are called, so it was not told to: then the program's other lines are slow,
        too, and more time comes back than is claimed. Usual causes: no `-O` at all, `-O0`, `-Og` or
        `-fno-inline` from a session of debugging, `CMAKE_BUILD_TYPE` empty or `Debug`. Build with `-O2` or `-O3`
        (`-DCMAKE_BUILD_TYPE=Release`).""",
        (
            Where(
                r"(?!libstdc\+\+\.so).*",
                r"std::(__1::)?(vector|array|deque|span|__array_traits)<…>::(size|empty|begin|end|cbegin|cend|data|front|back"
                r"|operator\[\]|at|_S_ref|_M_range_check)"
                r"|__gnu_cxx::__normal_iterator<…>::.*|std::(__1::)?complex<…>::(real|imag|__rep)"
                r"|std::(__1::)?(unique_ptr|__uniq_ptr_impl|__shared_ptr)<…>::(get|_M_ptr)|std::(__1::)?forward<…>",
            ),
        ),
    ),
    "look-ups": Kind(
        "The program looks things up in trees or hash tables all the time",
        """Each look-up takes 5 to 100 ns, where a number of an array takes less than one. Usual causes: parameters,
        atoms or cells in a `std::map` or `std::unordered_map` that is asked for each pair or atom. Number what is
        looked up once, at the start, and use arrays.""",
        (
            Where(
                ANY,
                r"std::(_Hashtable|__detail::_(Map_base|Hashtable_base|Hash_code_base|Insert\w*)|_Rb_tree|(unordered_)?(multi)?(map|set))<…>::"
                r"(_M_(find|lower_bound|upper_bound|bucket|get_insert|hash|insert|erase)\w*"
                r"|find|count|contains|at|operator\[\]|lower_bound|upper_bound|equal_range|equal|key_eq)",
            ),
            Where(r"libstdc\+\+\.so.*", r"std::_Rb_tree_(in|de)crement|std::_Rb_tree_insert_and_rebalance"),
        ),
        comes_back=0.7,
    ),
    "names": Kind(
        "The program compares, hashes or searches texts all the time",
        """Each takes 5 to 100 ns, and a pattern (`std::regex`) a microsecond and more. Usual causes: atoms, residues or
        types that are told apart by their names in a loop; tables with names as keys; `trim` and `adjustl` at
        each comparison. Give each name a number once, at the start, and compare the numbers.""",
        (
            Where(
                r"libgfortran\.so.*",
                r"_gfortran_(compare_string|string_(trim|len_trim|index|scan|verify)|adjust[lr]|concat_string|select_string)(_char4)?",
            ),
            Where(
                r"libstdc\+\+\.so.*",
                r"std::(_Hash_bytes|_Fnv_hash_bytes)|std::(__cxx11::)?basic_string<…>::(compare|find\w*)",
            ),
            Where(
                LIBC,
                r"(__)?(strn?(case)?cmp|strcoll|strstr|strcasestr|regexec|regcomp|fnmatch)(_(avx2|evex|sse\d\w*)\w*)?|re_search.*",
            ),
            Where(ANY, r"std::__detail::_(Executor|Compiler|Scanner|NFA|BracketMatcher|StateSeq)<…>::.*"),
            Where(r"lib(pcre2?|re2|onig|tre)[-.\d].*", ANY, True),
        ),
        comes_back=0.7,
    ),
    "packing": Kind(
        "Slices of arrays are copied before and after each call",
        """A procedure that wants its array in one piece gets a copy of a slice that is not (`x(i, :)`), and the copy
        is copied back. Usual cause: an assumed-size or explicit-shape argument (`a(*)`, `a(n)`), or one without an
        interface. Put the index of the slice last (`x(:, i)`), or take the argument as `a(:)`.
        `-fcheck=array-temps` tells the lines.""",
        (
            Where(
                r"libgfortran\.so.*",
                r"_?_?gfortrani?_internal_(un)?pack.*",
                gap=(r"_gfortran_reshape_.*", r"_gfortran_pow_.*"),  # one for each type of number
            ),
        ),
    ),
    "remainders": Kind(
        "Remainders are calls of a function that divides step by step",
        """`fmod` and `remainder` (Fortran's `mod` and `modulo` of reals) take 10 to 100 ns, the longer the larger the
        quotient. Usual cause: atoms or distances are put back into the periodic box for each pair. Subtract the
        rounded number of boxes, `d - L * rint(d / L)`, which may change the last digit, and put atoms back only
        when neighbours are looked for.""",
        (Where(r"libm[-.](\d[\d.]*\.)?so.*", r"(__)?(ieee754_)?(fmod|remainder|drem|remquo)[fl]?(_finite|_compat)?"),),
        comes_back=0.7,
    ),
    "garbage": Kind(
        "Python looks for objects that nobody needs",
        """Its garbage collector goes through all objects. Usual causes: `gc.collect()` in a loop, or very many
        small objects. `gc.freeze()` after the start, and no `gc.collect()`.""",
        (
            Where(
                PYTHON,
                r"gc_collect.*|PyGC_Collect|_PyGC_.*|visit_(decref|reachable)|subtract_refs|update_refs|move_unreachable"
                r"|deduce_unreachable|PyObject_GC_IsTracked",
            ),
        ),
        comes_back=0.7,
    ),
    "tracing": Kind(
        "Python tells a profiler, a debugger or a coverage tool of each line",
        """Each call or line of Python calls another function. Look for `sys.setprofile`, `sys.settrace`,
        `cProfile`, `coverage`, `PYTHONTRACEMALLOC` and `PYTHONPROFILEIMPORTTIME`.""",
        (
            Where(
                PYTHON,
                r"call_trace.*|call_trampoline|trace_trampoline|maybe_call_line_trace|sys_trace.*|_PyEval_SetTrace|tracemalloc_.*"
                r"|traceback_.*|_PyTraceMalloc_.*|PyEval_SetProfile",
            ),
        ),
    ),
    "python": Kind(
        "Python's own lines take the time, not the libraries that they call",
        """The interpreter takes 20 to 100 ns for each operation, a hundred times as long as compiled code. Usual
        causes: loops over atoms, pairs or grid points; copies of lists and objects (`copy.deepcopy`); lists
        where arrays would do. Let numpy do whole arrays at a time, or compile the loop (Numba, Cython). To see
        the lines: `py-spy record --pid PID`, or `python3 -m cProfile`.""",
        (
            Where(PYTHON, ANY, True),
            Where(r"_(pickle|json|csv|collections|functools|bisect|heapq)\..*", ANY, True),
        ),
        comes_back=0.5,
    ),
    "reference-blas": Kind(
        "Linear algebra is computed by the reference library",
        """Netlib's BLAS and LAPACK are written to be read. An optimised library (OpenBLAS, BLIS, MKL, AOCL, ArmPL)
        does the same several times as fast, with vectors and for the caches of this processor, and most
        programs need no new build for it. On Debian and Ubuntu: `apt install libopenblas0-serial`; elsewhere
        the module of one of these. Sums are then rounded in another order.""",
        (),
        comes_back=0.5,
    ),
    "old-kernels": Kind(
        "The linear-algebra library computes as for an older processor",
        """It has no use for the wide vectors (AVX2) of this one. An OpenBLAS that is older than the processor does not
        know it, and takes its slowest kernels; copies of it in Python's wheels or in conda may be many years old.
        `OPENBLAS_CORETYPE=Haswell` makes it take those for AVX2, without a new build; a newer release chooses
        right. Some releases of MKL do so on AMD's processors: take a newer one, OpenBLAS or AOCL. Sums may then be
        rounded in another order.""",
        (
            Where(
                r"lib.*openblas.*|lib(blas|cblas|lapack)\.so.*",
                r"[a-z0-9_]+_(KATMAI|COPPERMINE|NORTHWOOD|BANIAS|PRESCOTT|CORE2|PENRYN|DUNNINGTON|NEHALEM|ATOM|ATHLON|OPTERON"
                r"(_SSE3)?|BARCELONA|BOBCAT|NANO|SANDYBRIDGE|BULLDOZER|PILEDRIVER|STEAMROLLER)",
            ),
            Where(r"libmkl_def\.so.*", ANY, True),
        ),
        comes_back=0.35,
    ),
    "atomics": Kind(
        "The program changes numbers by atomic operations all the time",
        """An atomic operation takes 5 to 20 ns where nobody else wants the number, and a hundred and more where
        threads do: its cache line goes from core to core. Usual causes: `omp atomic`, `std::atomic` or a
        reference counter (`shared_ptr`) for each item. Let each thread have its own sum, and add these at the
        end (`reduction`).""",
        (),
        comes_back=0.7,
    ),
}
