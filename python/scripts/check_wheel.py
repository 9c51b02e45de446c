# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a wheel where nothing of the compiler is installed.

usage: check_wheel.py WHEEL

Installs it in a fresh environment and runs the Python example of README.md there,
with the system's copies of LLVM and what it needs hidden (by a mount
namespace, where the system lets this user make one) and with a look at which
files were loaded.
"""

import os
from pathlib import Path
import re
import subprocess
import sys
import tempfile
from typing import List
import zipfile

TOP = Path(__file__).resolve().parents[2]
# Run before and behind the example: what the wheel carries and Python itself had
# not loaded came from the wheel.
BEFORE = """
def mapped():
    with open("/proc/self/maps") as file:
        return {line.split()[-1] for line in file if ".so" in line}
import ctypes, lzma, numpy
before = {path.split("/")[-1].split(".so")[0] for path in mapped()}
"""
BEHIND = """
import pathlib
carried = pathlib.Path(goatc.__file__).parent / "lib"
names = {path.name.split(".so")[0] for path in carried.iterdir()} - before
loaded = {pathlib.Path(path) for path in mapped()}
loaded = {path for path in loaded if path.name.split(".so")[0] in names}
wrong = [str(path) for path in loaded if path.parent != carried]
assert not wrong, f"expected libraries of the wheel but got {wrong}"
assert len(loaded) == len(names), names
print(f"{len(loaded)} libraries of the wheel and none of the system")
"""
# Python does not run without some of the others.
HIDDEN = ("libLLVM", "libMLIR", "libz3", "libedit", "libicu", "libxml2")


def example() -> str:
    """Returns the Python example of README.md."""
    text = (TOP / "README.md").read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]


def hidden_files(wheel: Path) -> List[str]:
    """Returns the system's copies of what the wheel carries."""
    with zipfile.ZipFile(wheel) as files:
        names = {Path(name).name for name in files.namelist()
                 if Path(name).name.startswith(HIDDEN)}
    cache = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE,
                           text=True).stdout
    return [line.split(" => ")[1] for line in cache.splitlines()
            if " => " in line and line.split()[0] in names]


def main() -> int:
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        # NumPy may be the system's: no package is fetched here.
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages",
                        str(venv)], check=True)
        python = str(venv / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index",
                        "--no-deps", "--disable-pip-version-check", str(wheel)],
                       check=True)
        program = Path(folder) / "example.py"
        program.write_text(BEFORE + example() + BEHIND, encoding="utf-8")
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("GOAT", "LD_", "PYTHON"))}
        environment["GOATC_CACHE_DIR"] = str(Path(folder) / "cache")
        hide = "".join(f"mount --bind /dev/null {path}\n"
                       for path in hidden_files(wheel))
        hide += ("[ ! -d /usr/lib/llvm-22 ] || "
                 "mount -t tmpfs none /usr/lib/llvm-22\n")
        spaces = ["unshare", "--mount", "--map-root-user"]
        can_hide = subprocess.run([*spaces, "true"], stderr=subprocess.DEVNULL
                                  ).returncode == 0
        script = f'set -e\n{hide}exec "{python}" "{program}"'
        command = ([*spaces, "sh", "-c", script] if can_hide
                   else [python, str(program)])
        print("with the system's libraries "
              f"{'hidden' if can_hide else 'in sight'}:", flush=True)
        return subprocess.run(command, cwd=folder, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
