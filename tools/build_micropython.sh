#!/bin/bash
# tools/build_micropython.sh [FOLDER]   (build/micropython when not given)
# Builds MicroPython from Debian's source packages, with this checkout's firmware frozen in:
#   FOLDER/micropython32   the PC port with 32-bit pointers, whose heap figures are those of a board
#   FOLDER/rp2040.uf2      what a Pico is flashed with
#   FOLDER/rp2040.symbols  where the emulator finds the garbage collector
# The packages come through the mirror this machine already uses, with an apt state of their own below FOLDER.
# Sources, compiler output and results are kept there: a second run only freezes what has changed.
# Exit code 75 (EX_TEMPFAIL): compilers or sources could not be fetched; 1: the build itself failed.
set -euo pipefail
REPO=$(cd "$(dirname "$0")/.." && pwd)
OUT=$(realpath -m "${1:-$REPO/build/micropython}")
SUITE=${PAIJU_DEBIAN_SUITE:-trixie}
export GIT_CEILING_DIRECTORIES=$OUT/src # else the version would be that of this checkout
LOG=$OUT/build.log

FAILED=1
fail() { echo "MicroPython cannot be built: $*" >&2; exit $FAILED; }
step() { # step WHAT COMMAND...: quiet unless it fails
    local what=$1; shift
    echo "[$SECONDS s] $what"
    "$@" >> "$LOG" 2>&1 || { tail -3 "$LOG" >&2; fail "$what failed, see $LOG"; }
}

mkdir -p "$OUT"
exec 9> "$OUT/lock"
flock 9
: > "$LOG"

packages() {
    local tools=(gcc g++ make cmake python3 dpkg-dev gcc-arm-none-eabi libnewlib-arm-none-eabi
                 libstdc++-arm-none-eabi-newlib gcc-multilib) missing=()
    for tool in "${tools[@]}"; do
        dpkg-query -W -f '${Status}' "$tool" 2> /dev/null | grep -q 'ok installed' || missing+=("$tool")
    done
    [ ${#missing[@]} = 0 ] && return
    [ "$(id -u)" = 0 ] || fail "install these packages first: ${missing[*]}"
    step "lists of installed suite" apt-get -q update
    step "compilers: ${missing[*]}" \
        env DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install "${missing[@]}"
}

mirror() { # The Debian archive this machine reads, and the keyring it trusts for it
    local file uri='' key=''
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        uri=$(sed -n 's/^URIs: *\([^ ]*\/debian\/\?\)\( .*\)\?$/\1/p' "$file" | head -1)
        key=$(sed -n 's/^Signed-By: *//p' "$file" | head -1)
        [ -n "$uri" ] && break
    done
    if [ -z "$uri" ] && [ -e /etc/apt/sources.list ]; then
        uri=$(sed -n 's/^deb \(\[[^]]*\] *\)\?\([^ ]*\/debian\/\?\) .*/\2/p' /etc/apt/sources.list | head -1)
        key=
    fi
    [ -n "$uri" ] || fail "no Debian mirror in /etc/apt"
    printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' \
        "$uri" "$SUITE" "${key:-/usr/share/keyrings/debian-archive-keyring.gpg}"
}

sources() {
    [ "$(cat "$OUT/sources.ok" 2> /dev/null)" = "$OUT" ] && return # links and CMake know their folder
    rm -rf "$OUT/src" "$OUT/root"
    mkdir -p "$OUT/src" "$OUT/root" "$OUT/apt/lists/partial" "$OUT/apt/archives/partial"
    mirror > "$OUT/apt/debian.sources" || exit
    local apt=(apt-get -q -o "Dir::Etc::sourcelist=$OUT/apt/debian.sources" -o Dir::Etc::sourceparts=-
               -o "Dir::State::lists=$OUT/apt/lists" -o "Dir::Cache=$OUT/apt" -o APT::Sandbox::User=root
               -o Acquire::Retries=2)
    cd "$OUT/src"
    step "lists of $SUITE" "${apt[@]}" update
    step "sources of micropython and mbedtls" "${apt[@]}" source --download-only micropython mbedtls
    step "pico-sdk and tinyusb" "${apt[@]}" download pico-sdk-source tinyusb-source
    local archive
    for archive in micropython_*.orig.tar.* mbedtls_*.orig.tar.*; do step "unpack $archive" tar xf "$archive"; done
    for archive in *.deb; do step "unpack $archive" dpkg-deb -x "$archive" "$OUT/root"; done
    mv micropython-*/ micropython
    mv mbedtls-*/ mbedtls
    # The archive has the submodules as empty folders.
    local lib
    for lib in pico-sdk tinyusb; do
        rm -rf "micropython/lib/$lib"
        ln -s "$OUT/root/usr/src/$lib" "micropython/lib/$lib"
    done
    rm -rf micropython/lib/mbedtls
    ln -s "$OUT/src/mbedtls" micropython/lib/mbedtls
    mkdir -p micropython/lib/micropython-lib
    touch micropython/lib/micropython-lib/README.md # asked for before anything is built
    echo "$OUT" > "$OUT/sources.ok"
}

FAILED=75
packages
sources
FAILED=1
cd "$OUT/src/micropython"
JOBS=-j${JOBS:-2}
step "mpy-cross" make -C mpy-cross "$JOBS"
step "32-bit PC port" make -C ports/unix "$JOBS" BUILD=build-32 MICROPY_FORCE_32BIT=1 MICROPY_PY_FFI=0 \
    MICROPY_PY_SSL=0 MICROPY_PY_BTREE=0 MICROPY_PY_BLUETOOTH=0 FROZEN_MANIFEST="$REPO/tests/rp2040/manifest_pc.py"
cp ports/unix/build-32/micropython "$OUT/micropython32.new"
mv "$OUT/micropython32.new" "$OUT/micropython32"
BUILD=ports/rp2/build-pico
[ -e $BUILD/Makefile ] || step "configure RP2040" cmake -S ports/rp2 -B $BUILD -DMICROPY_BOARD=RPI_PICO \
    -DMICROPY_FROZEN_MANIFEST="$REPO/tests/rp2040/manifest_pico.py" -DPICO_NO_PICOTOOL=1
step "RP2040" make -C $BUILD "$JOBS"
arm-none-eabi-nm $BUILD/firmware.elf | sed -n 's/^\([0-9a-f]*\) T gc_collect$/gc_collect \1/p' > "$OUT/rp2040.symbols"
python3 "$REPO/tools/uf2.py" $BUILD/firmware.bin "$OUT/rp2040.uf2"
echo "[$SECONDS s] $OUT/micropython32, $OUT/rp2040.uf2"
