#!/bin/sh
# Installs what building and testing needs, from Debian 12's own archive, and
# only what is missing. Says what it installs; asks for no input. On any other
# system it installs nothing and names what is missing.
#
# MLIR_DIR, when set, is where MLIRConfig.cmake of an MLIR 22 of your own lies:
# then no LLVM or MLIR library is installed or asked for.
#
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

set -eu

# libzstd-dev is left out on purpose: without it a target that names a static
# LLVM library fails when it is configured instead of being linked unnoticed.
packages="cmake ninja-build ccache libgtest-dev libgmock-dev python3 python3-numpy
  clang-22 lld-22 clang-format-22 clang-tidy-22 llvm-22-tools"
if [ -z "${MLIR_DIR:-}" ]; then
  packages="$packages libmlir-22-dev mlir-22-tools llvm-22-dev"
fi
# The sanitizers' run-time libraries are wanted by those presets only.
if [ "${PRESET:-}" = sanitize ] || [ "${PRESET:-}" = fuzz ]; then
  packages="$packages libclang-rt-22-dev"
fi
# What make check-wheel and check-frameworks make an environment with.
if [ -n "${WHEEL:-}" ]; then
  packages="$packages python3-venv python3-pip"
fi

# On a system whose packages have other names: one line per missing program.
name_missing() {
  missing=0
  lacks() {
    echo "install-deps: missing: $1" >&2
    missing=1
  }
  for program in clang++-22 cmake ninja; do
    command -v "$program" >/dev/null || lacks "$program"
  done
  command -v ld.lld-22 >/dev/null || command -v ld.lld >/dev/null ||
    lacks "ld.lld (LLVM's linker, version 22)"
  python="${PYTHON:-/usr/bin/python3}"
  "$python" -c 'import numpy' 2>/dev/null || lacks "NumPy for $python"
  [ -e "${MLIR_DIR:-/usr/lib/llvm-22/lib/cmake/mlir}/MLIRConfig.cmake" ] ||
    lacks "MLIR 22 (set MLIR_DIR to the folder that holds MLIRConfig.cmake)"
  [ -e /usr/include/gtest/gtest.h ] || [ -n "${GTest_DIR:-}" ] ||
    lacks "GoogleTest (set GTest_DIR to the folder that holds GTestConfig.cmake)"
  if [ "$missing" = 1 ]; then
    echo "install-deps: this is not Debian 12, so install the above yourself" >&2
    exit 1
  fi
}

id=unknown version=unknown
if [ -r /etc/os-release ]; then
  id=$(. /etc/os-release && echo "${ID:-unknown}")
  version=$(. /etc/os-release && echo "${VERSION_ID:-unknown}")
fi
if [ "$id-$version" != debian-12 ]; then
  name_missing
  exit 0
fi

wanted=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || wanted="$wanted $package"
done
[ -n "$wanted" ] || exit 0
echo "install-deps: installing$wanted"

as_root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: expected root or sudo but got neither; as root, run" >&2
    echo "  apt-get update && apt-get install$wanted" >&2
    exit 1
  fi
  # Without a terminal nobody can type a password.
  if [ -t 0 ]; then as_root="sudo"; else as_root="sudo -n"; fi
fi

apt_get() {
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get "$@" </dev/null
}
update() {
  echo "install-deps: updating the package lists"
  apt_get update -qq
}
install() {
  apt_get install -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends $wanted
}

known=yes
for package in $wanted; do
  apt-cache show "$package" >/dev/null 2>&1 || known=no
done
if [ "$known" = no ]; then
  update
  install
else
  # The lists may name versions the archive no longer has.
  install || { update && install; }
fi
