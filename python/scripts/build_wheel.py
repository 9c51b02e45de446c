# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the wheel of goat-mlir: the build backend that pyproject.toml names.

    make wheel                  into build/wheel
    pip wheel .                 the same; pip install . installs it

It needs nothing but Python and what the project is built with. CMake builds and
installs libGoatC; every shared library that it needs and that not every Linux has
(LLVM's, MLIR's and theirs) is copied beside it. They find each other there:
libGoatC has $ORIGIN as its search path, which counts for the libraries it loads
too, and Debian's LLVM looks in $ORIGIN/../lib, which is the same folder. The
licence of each goes along.

pip's --config-settings take `build`, the build folder (build/ci by default), and
`licences`, a folder with a text NAME.txt for each library NAME whose licence no
Debian package has.
"""

import base64
import hashlib
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple
import zipfile

TOP = Path(__file__).resolve().parents[2]
LIBRARY = "libGoatC.so.0.1"
# What manylinux expects every system to have.
EVERYWHERE = re.compile(
    r"(linux-vdso|ld-linux-[\w-]+|libc|libm|libdl|librt|libpthread|libgcc_s|"
    r"libstdc\+\+|libz)\.so[.\d]*")
SOURCES = (".ci", "CMakeLists.txt", "CMakePresets.json", "LICENSE",
           "Makefile", "README.md", "cmake", "include", "lib", "pyproject.toml",
           "python", "test", "tools", "docs")


def run(*command: str, **options: Any) -> str:
    """Runs a program and returns what it says; raises RuntimeError."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=TOP,
                          **options)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with "
                           f"{done.returncode}")
    return done.stdout


def version() -> str:
    """Returns the version that CMakeLists.txt states."""
    text = (TOP / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(goat VERSION ([\d.]+)", text)[1]


def build_library(build: Path, prefix: Path) -> Path:
    """Builds libGoatC and installs it under `prefix`; returns its path."""
    if not (build / "CMakeCache.txt").exists():
        run("cmake", "--preset", build.name)
    run("cmake", "--build", str(build), "--target", "GoatC")
    run("cmake", "--install", str(build), "--component", "goat-c", "--prefix",
        str(prefix), "--strip")
    return prefix / "lib" / LIBRARY


def needed_libraries(ldd: str) -> Dict[str, Path]:
    """Returns the libraries of an output of ldd that have to go along, by the
    name that they are asked for by."""
    found = {}
    for line in ldd.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        name = Path(name.split(" (")[0]).name
        if not arrow or EVERYWHERE.fullmatch(name):
            continue
        if path.startswith("not found"):
            raise RuntimeError(f"expected to find {name}, which {LIBRARY} "
                               f"needs, but ldd does not")
        found[name] = Path(path.split(" (")[0])
    return found


def find_licence(library: Path, folder: Optional[Path]) -> Tuple[str, str]:
    """Returns a name and the text of a library's licence.

    Debian keeps one for each package. Raises RuntimeError where there is none.
    """
    given = folder / f"{library.name}.txt" if folder else None
    if given and given.exists():
        return library.name, given.read_text(encoding="utf-8")
    real = str(library.resolve())
    for path in (real, real.replace("/usr/", "/", 1)):
        owner = subprocess.run(["dpkg-query", "-S", path],
                               stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
        package = owner.stdout.split(":")[0]
        text = Path("/usr/share/doc") / package / "copyright"
        if owner.returncode == 0 and text.exists():
            return package, text.read_text(encoding="utf-8")
    raise RuntimeError(f"expected a licence for {library} but no Debian package "
                       f"has it; put it into {library.name}.txt of a folder and "
                       f"name that with --config-settings=licences=FOLDER")


def platform_tag(libraries: Iterable[Path]) -> str:
    """Returns the wheel's platform: the least glibc that all libraries run
    on."""
    newest = 17
    for library in libraries:
        for minor in re.findall(rb"GLIBC_2\.(\d+)\0", library.read_bytes()):
            newest = max(newest, int(minor))
    return f"manylinux_2_{newest}_{os.uname().machine}"


def metadata() -> str:
    """Returns METADATA, from pyproject.toml."""
    import tomllib  # Python 3.11

    with open(TOP / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}",
             f"Version: {version()}", f"Summary: {project['description']}",
             f"Keywords: {','.join(project['keywords'])}",
             f"License-Expression: {project['license']}",
             "License-File: LICENSE",
             f"Requires-Python: {project['requires-python']}",
             "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"'
                  for need in needs]
    text = (TOP / project["readme"]).read_text(encoding="utf-8")
    return "\n".join(lines) + "\n\n" + text


def write_wheel(path: Path, files: Mapping[str, bytes], info: str) -> None:
    """Writes a wheel of these files and the RECORD of them."""
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append(f"{name},sha256={digest.decode().rstrip('=')},"
                          f"{len(data)}")
            add(wheel, name, data)
        record.append(f"{info}/RECORD,,")
        add(wheel, f"{info}/RECORD", "\n".join(record + [""]).encode())


def add(wheel: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Adds a file with the one date that makes wheels the same every time."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
    wheel.writestr(entry, data)


def package_files() -> Dict[str, bytes]:
    """Returns the files of the Python package."""
    package = TOP / "python"
    return {path.relative_to(package).as_posix(): path.read_bytes()
            for path in (package / "goatc").rglob("*")
            if path.suffix == ".py" or path.name == "py.typed"}


# The interface of a build backend (PEP 517).

def build_wheel(wheel_directory: str,
                config_settings: Optional[Mapping[str, str]] = None,
                metadata_directory: Optional[str] = None) -> str:
    """Builds the wheel and returns its name."""
    settings = config_settings or {}
    licences = Path(settings["licences"]) if "licences" in settings else None
    build = TOP / settings.get("build", "build/ci")
    info = f"goat_mlir-{version()}.dist-info"
    files = package_files()
    files[f"{info}/licenses/LICENSE"] = (TOP / "LICENSE").read_bytes()
    with tempfile.TemporaryDirectory() as prefix:
        library = build_library(build, Path(prefix))
        # In the build folder it finds what it needs.
        carried = needed_libraries(run("ldd", str(build / "lib" / LIBRARY)))
        files[f"goatc/lib/{LIBRARY}"] = library.read_bytes()
        for name, path in carried.items():
            files[f"goatc/lib/{name}"] = path.read_bytes()
            owner, text = find_licence(path, licences)
            files[f"{info}/licenses/{owner}.txt"] = text.encode()
        tag = f"py3-none-{platform_tag([library, *carried.values()])}"
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: goat ({version()})\n"
        f"Root-Is-Purelib: false\nTag: {tag}\n").encode()
    name = f"goat_mlir-{version()}-{tag}.whl"
    write_wheel(Path(wheel_directory) / name, files, info)
    return name


def build_sdist(sdist_directory: str,
                config_settings: Optional[Mapping[str, str]] = None) -> str:
    """Packs the sources and returns the archive's name."""
    stem = f"goat_mlir-{version()}"
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder) / "PKG-INFO"
        info.write_text(metadata(), encoding="utf-8")
        with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz",
                          "w:gz") as archive:
            archive.add(info, f"{stem}/PKG-INFO")
            for name in SOURCES:
                if (TOP / name).exists():
                    archive.add(TOP / name, f"{stem}/{name}", filter=no_caches)
    return f"{stem}.tar.gz"


def no_caches(entry: tarfile.TarInfo) -> Optional[tarfile.TarInfo]:
    """Leaves compiled Python files out of an archive."""
    return None if "__pycache__" in entry.name else entry


def main(arguments: List[str]) -> int:
    """Builds the wheel into the folder that is named."""
    folder = Path(arguments[0])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    settings = dict(argument.split("=", 1) for argument in arguments[1:])
    path = folder / build_wheel(str(folder), settings)
    print(f"{path}: {path.stat().st_size / 2 ** 20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
