#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs prebuilt artifacts on a GPU and compares with what was stored.

    pip install numpy cuda-bindings
    python3 test/Device/run.py [--json FILE] [--vectors DIR] CASE...

A CASE is an artifact directory (kernel.json and the code it names) with folders
of float32 arrays beside it, as `goat-run --compare --out=CASE` writes them:

    CASE/inputs/NAME.npy         what the kernel is given
    CASE/reference/NAME.npy      what the reference answers
    CASE/bounds/NAME.npy         how far each row may be from that (an L2
                                 distance; for an LSE each element)
    CASE/bounds/NAME.total.npy   how far all of it may be
    CASE/sim/NAME.npy            what the simulator answers (may be missing)

An output is right when its distance from the reference, and from the simulator,
is within the bounds in every row and as a whole, and infinities stand in the
same places. The share of elements equal to the simulator's in every bit is
printed and not judged: the approximate functions of hardware and simulator may
differ in their last bits.

`--vectors DIR` also records what single instructions return (see vectors.py).
Exits with 1 when something is wrong and with 2 when there is nothing to run on.
"""

import argparse
import json
from pathlib import Path
import sys
from typing import Any, Callable, Dict, List, Optional

try:
    import numpy as np
except ImportError:
    sys.exit("error: NumPy is missing; pip install numpy cuda-bindings")

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

from goatc.artifact import ArtifactError, load_artifact  # noqa: E402
from goatc.driver import CudaDriver, DeviceError, Driver  # noqa: E402
from goatc.launch import run_artifact  # noqa: E402
import vectors  # noqa: E402


def compare(actual: np.ndarray, expected: np.ndarray, rows: np.ndarray,
            total: float) -> Dict[str, Any]:
    """Compares two arrays, given the bounds on the L2 distance of each row (an
    array of the first axes of `expected`) and of the whole.

    Returns max_abs_error, rel_l2_error, equal_share and passed. Non-finite
    elements count as errors of infinity unless both are the same infinity;
    finite elements are compared in float64. rel_l2_error is against the norm of
    `expected`, or absolute where that is 0.
    """
    if actual.shape != expected.shape:
        raise ArtifactError(f"expected stored results of shape {actual.shape} "
                            f"but got {expected.shape}")
    if rows.shape != expected.shape[:rows.ndim]:
        raise ArtifactError(f"expected bounds for rows of {expected.shape} but "
                            f"got bounds of shape {rows.shape}")
    a = actual.astype(np.float64)
    e = expected.astype(np.float64)
    equal = a == e
    finite = np.isfinite(a) & np.isfinite(e)
    error = np.where(finite, 0.0, np.inf)
    error[finite] = np.abs(a[finite] - e[finite])
    error[equal] = 0.0
    distances = np.sqrt((error.reshape(rows.shape + (-1,)) ** 2).sum(-1)
                        if a.size else np.zeros(rows.shape))
    distance = float(np.linalg.norm(distances))
    norm = float(np.linalg.norm(e[np.isfinite(e)]))
    return {"max_abs_error": float(error.max(initial=0.0)),
            "rel_l2_error": distance / (norm or 1.0),
            "equal_share": float(equal.mean()) if a.size else 1.0,
            "passed": bool(np.all(distances <= rows) and distance <= total)}


def load_arrays(folder: Path, names: List[str]) -> Dict[str, np.ndarray]:
    """Loads NAME.npy for each name; raises ArtifactError for a missing one."""
    arrays = {}
    for name in names:
        path = folder / f"{name}.npy"
        if not path.is_file():
            raise ArtifactError(f"expected the array {path} but there is none")
        arrays[name] = np.load(path, allow_pickle=False)
    return arrays


def run_case(driver: Driver, folder: Path) -> Dict[str, Any]:
    """Runs one case; returns its name, its verdict and a row per output."""
    artifact = load_artifact(folder)
    inputs = load_arrays(folder / "inputs", [i.name for i in artifact.inputs])
    results = run_artifact(driver, artifact, inputs)
    names = [output.name for output in artifact.outputs]
    stored = {"reference": load_arrays(folder / "reference", names)}
    if (folder / "sim").is_dir():
        stored["sim"] = load_arrays(folder / "sim", names)
    bounds = load_arrays(folder / "bounds",
                         names + [f"{name}.total" for name in names])
    rows = []
    for name in names:
        for source, arrays in stored.items():
            rows.append({"output": name, "against": source,
                         **compare(results[name], arrays[name], bounds[name],
                                   float(bounds[f"{name}.total"]))})
    return {"case": folder.name, "target": artifact.target, "outputs": rows,
            "passed": all(row["passed"] for row in rows)}


def run_cases(driver: Driver, folders: List[Path],
              say: Callable[[str], None]) -> Dict[str, Any]:
    """Runs the cases, prints a table line for each comparison, and returns the
    whole result. A case that cannot be run fails and says why."""
    name, capability = driver.describe()
    say(f"{name}, sm_{capability[0]}{capability[1]}")
    say(f"{'case':24} {'output':8} {'against':10} {'max abs':>10} "
        f"{'rel l2':>10} {'equal':>7}")
    cases = []
    for folder in folders:
        try:
            case = run_case(driver, folder)
        except ArtifactError as error:
            case = {"case": folder.name, "error": str(error), "outputs": [],
                    "passed": False}
            say(f"{folder.name:24} {error}")
        for row in case["outputs"]:
            say(f"{case['case']:24} {row['output']:8} {row['against']:10} "
                f"{row['max_abs_error']:10.3e} {row['rel_l2_error']:10.3e} "
                f"{row['equal_share']:7.2%} "
                f"{'ok' if row['passed'] else 'WRONG'}")
        cases.append(case)
    return {"device": name,
            "capability": f"{capability[0]}.{capability[1]}", "cases": cases,
            "passed": all(case["passed"] for case in cases)}


def main(arguments: Optional[List[str]] = None,
         connect: Callable[[], Driver] = CudaDriver) -> int:
    """The command line; `connect` gives the driver. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("cases", nargs="*", type=Path, metavar="CASE")
    parser.add_argument("--json", type=Path,
                        help="write the result to a file")
    parser.add_argument("--vectors", type=Path, metavar="DIR",
                        help="record what single instructions return")
    options = parser.parse_args(arguments)
    if not options.cases and not options.vectors:
        parser.error("expected a CASE or --vectors but got neither")
    try:
        driver = connect()
        result = run_cases(driver, options.cases, print)
        if options.vectors:
            options.vectors.mkdir(parents=True, exist_ok=True)
            for name, array in vectors.record(driver, print).items():
                np.save(options.vectors / f"{name}.npy", array)
            (options.vectors / "device.json").write_text(json.dumps(
                {key: result[key] for key in ("device", "capability")},
                indent=2) + "\n")
    except DeviceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n")
    return 0 if result["passed"] else 1


if __name__ == "__main__":
    sys.exit(main())
