#!/bin/sh
# Installs Clearway from its wheel into a separate Python environment, without a compiler and without root:
#   sh install.sh [--prefix DIR] clearway-VERSION-py3-none-manylinux_2_28_MACHINE.whl
# DIR (default: ~/opt/clearway) must be on a file system that all nodes can read; the programs are in DIR/bin. PYTHON=... selects
# the Python. Dependencies are downloaded from PyPI, or taken from wheels in the same folder.
set -eu

fail() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 1
}

prefix=${HOME:-}/opt/clearway
wheel=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ $# -ge 2 ] || fail "--prefix needs a directory" "sh install.sh --prefix DIR WHEEL"; prefix=$2; shift ;;
        --prefix=*) prefix=${1#--prefix=} ;;
        *.whl) wheel=$1 ;;
        *) fail "'$1' is not a wheel" "sh install.sh [--prefix DIR] clearway-….whl" ;;
    esac
    shift
done
[ -n "$wheel" ] || fail "no wheel given" "sh install.sh [--prefix DIR] clearway-….whl"
[ -f "$wheel" ] || fail "there is no wheel '$wheel'" "sh install.sh [--prefix DIR] clearway-….whl"

# The machine.
system=$(uname -s) machine=$(uname -m)
[ "$system" = Linux ] || fail "Clearway runs on Linux; this is $system" "install it where the MPI jobs run"
case $wheel in
    *_"$machine".whl) ;;
    *) fail "this wheel is not for this machine, which is $machine" "take the wheel whose name ends with _$machine.whl" ;;
esac
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || libc=
case $libc in
    "glibc "*) ;;
    *) fail "Clearway needs glibc, and this system has another libc (musl?)" \
        "install it in a distribution, or a container, with glibc" ;;
esac
version=${libc#glibc }
[ "${version%%.*}" -gt 2 ] || [ "${version#*.}" -ge 28 ] 2>/dev/null ||
    fail "Clearway needs glibc 2.28 or newer, and this system has $version" "RHEL 8, Debian 10 and Ubuntu 20.04 or newer have it"

# Python.
if [ -z "${PYTHON:-}" ]; then
    for PYTHON in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && break
    done
fi
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || {
    known=$(python3 --version 2>/dev/null) && known="python3 is $known" || known="there is no python3"
    fail "Clearway needs Python 3.10 or newer, and $known here" \
        "dnf install python3.11 (RHEL 8 and 9), or module load a newer one, or PYTHON=/path/to/python3 sh install.sh …"
}
"$PYTHON" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$("$PYTHON" --version) has no pip and cannot make a virtual environment" \
        "apt install python3-venv (Debian, Ubuntu), or PYTHON=/path/to/another/python3 sh install.sh …"

# The place.
case $prefix in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
case $prefix in
    *[\ :\$]* | *"	"*) fail "'$prefix' contains a space, a colon or a dollar sign, which LD_PRELOAD cannot handle" \
        "choose another directory: sh install.sh --prefix DIR …" ;;
esac
{ mkdir -p "$prefix/bin" "$prefix/lib" && [ -w "$prefix/bin" ] && [ -w "$prefix/lib" ]; } 2>/dev/null ||
    fail "cannot write to '$prefix'" "choose a directory that you can write to and all nodes see: sh install.sh --prefix DIR …"

own=$prefix/lib/clearway
log=$prefix/lib/clearway-install.log
echo "installing into $prefix …"
unset PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT # sites set them for what users install; this has a place of its own
{ "$PYTHON" -m venv "$own" &&
    "$own/bin/python" -m pip install --disable-pip-version-check --no-input --no-user --force-reinstall \
        --find-links "$(dirname "$wheel")" ${PIP_NO_INDEX:+--no-index} "$wheel"; } >"$log" 2>&1 || {
    grep '^ERROR' "$log" >&2 || tail -n 5 "$log" >&2
    fail "pip could not install it (all of its output: $log)" \
        "without a network: put the wheels of jinja2, msgspec, numpy and rich (for Python 3.10 also tomli) beside it, and set PIP_NO_INDEX=1"
}
rm -f "$log"

# Modules of a cluster set PYTHONHOME and PYTHONPATH for the job's Python; with them, Clearway's own might not even start.
# With -I it reads neither, and the job gets both. Behind a long path its Python is on the second line.
sed -e '1s|^#!\(/.*/python[0-9.]*\)$|#!\1 -I|' -e "2s|^\('''exec' /.*/python[0-9.]*\) \"|\1 -I \"|" \
    "$own/bin/clearway" >"$own/bin/clearway.new"
cat "$own/bin/clearway.new" >"$own/bin/clearway"  # it keeps its mode
rm -f "$own/bin/clearway.new"

for program in "$own"/bin/clearway*; do
    ln -sf "../lib/clearway/bin/${program##*/}" "$prefix/bin/"
done
for folder in man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d; do
    mkdir -p "$prefix/share/$folder"
    for file in "$own/share/$folder"/clearway* "$own/share/$folder"/_clearway; do
        [ ! -e "$file" ] || ln -sf "../../../lib/clearway/share/$folder/${file##*/}" "$prefix/share/$folder/"
    done
done
# For clusters with modules, Lmod's or Tcl's: module use DIR/share/modulefiles; module load clearway
release=$("$own/bin/clearway" --version)
mkdir -p "$prefix/share/modulefiles/clearway"
cat >"$prefix/share/modulefiles/clearway/${release#* }" <<END
#%Module1.0
proc ModulesHelp { } {
    puts stderr "clearway run -- mpirun -np 8 PROGRAM; then clearway report DIR. man clearway, clearway docs."
}
module-whatis "Clearway: where the wall-clock of a parallel job went, and how to get it back"
conflict clearway
prepend-path PATH $prefix/bin
END
echo "installed $prefix/bin/clearway: put $prefix/bin on your PATH, then: clearway run -- mpirun -np 8 PROGRAM"

# Root installs for everyone: but a umask of 077, a folder below /root or a Python there keeps everyone out.
closed_to_others() {
    path=$(readlink -f "$1")
    while [ "$path" != / ]; do
        [ -n "$(find "$path" -maxdepth 0 -perm -001)" ] || { echo "$path"; return; }
        path=$(dirname "$path")
    done
}
if [ "$(id -u)" = 0 ]; then
    closed=$(closed_to_others "$own/bin/clearway-record")
    [ -n "$closed" ] || closed=$(closed_to_others "$own/bin/python")
    [ -z "$closed" ] || {
        echo "warning: other users cannot use it: '$closed' is closed to them" >&2
        echo "hint: for all users, in folders open to them: umask 022; PYTHON=/usr/bin/python3 sh install.sh --prefix DIR …" >&2
    }
fi
