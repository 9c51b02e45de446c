#!/usr/bin/env python3
# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs prebuilt artifacts on a GPU and compares with what was stored.

    pip install numpy cuda-bindings
    python3 test/Device/run.py [--json FILE] [--vectors DIR] CASE...

A CASE is an artifact directory (kernel.json and the code it names) with three
folders of float32 arrays beside it, one file for each input or output:

    CASE/inputs/NAME.npy      what the kernel is given
    CASE/reference/NAME.npy   what the reference answers
    CASE/sim/NAME.npy         what the simulator answers (may be missing)

An output is right when its relative L2 distance from the reference, and from
the simulator, is within the tolerance of its type, and infinities stand in the
same places. The share of elements equal to the
simulator's in every bit is printed and not judged: the approximate functions
of hardware and simulator may differ in their last bits.

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

# Relative L2 tolerances. bf16 and f16 results are rounded once on store, and the
# probabilities once before the second product: about one unit of rounding, 2^-8
# and 2^-11. fp32 results (LSE) are off by the approximate functions alone.
TOLERANCE = {"bf16": 4e-3, "f16": 1e-3, "f32": 1e-5}


def compare(actual: np.ndarray, expected: np.ndarray) -> Dict[str, float]:
    """Returns max_abs_error, rel_l2_error and equal_share of two arrays.

    Non-finite elements count as errors of infinity unless both are the same
    infinity; finite elements are compared in float64. rel_l2_error is against
    the norm of `expected`, or absolute where that is 0.
    """
    if actual.shape != expected.shape:
        raise ArtifactError(f"expected stored results of shape {actual.shape} "
                            f"but got {expected.shape}")
    a = actual.astype(np.float64)
    e = expected.astype(np.float64)
    equal = a == e
    if a.size == 0:
        return {"max_abs_error": 0.0, "rel_l2_error": 0.0, "equal_share": 1.0}
    finite = np.isfinite(a) & np.isfinite(e)
    worst = 0.0
    distance = 0.0
    if not np.all(finite | equal):
        worst = distance = float("inf")
    elif np.any(finite):
        difference = a[finite] - e[finite]
        norm = float(np.linalg.norm(e[finite]))
        worst = float(np.abs(difference).max())
        distance = float(np.linalg.norm(difference)) / (norm or 1.0)
    return {"max_abs_error": worst, "rel_l2_error": distance,
            "equal_share": float(equal.mean())}


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
    rows = []
    for output in artifact.outputs:
        if output.dtype not in TOLERANCE:
            raise ArtifactError(
                f"expected '{output.name}' of type {', '.join(TOLERANCE)} but "
                f"got {output.dtype}, which has no tolerance in run.py")
        tolerance = TOLERANCE[output.dtype]
        for source, arrays in stored.items():
            figures = compare(results[output.name], arrays[output.name])
            rows.append({"output": output.name, "against": source, **figures,
                         "tolerance": tolerance,
                         "passed": figures["rel_l2_error"] <= tolerance})
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
