"""Runs whole processes and measures them: wall and CPU seconds, peak memory."""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.memory import Watch
from clew.errors import ClewError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

TIMEOUT = 3600.0  # seconds; nothing measured here may take longer
SHOWN = 2000  # characters of what a command wrote to standard error, from its end
# Numpy's library is slower, or wrong, where a machine sets these.
UNWANTED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "PYTHONPATH", "VIRTUAL_ENV")

# Between the benchmark and what it measures: the system counts the memory of the process that
# starts another as the other's peak, so a small one starts it.
LAUNCHER = """
import os, sys, time
report, command = int(sys.argv[1]), sys.argv[2:]
os.set_inheritable(report, False)
started = time.perf_counter()
pid = os.posix_spawnp(command[0], command, os.environ)
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - started
code, cpu = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
os.write(report, f"{code} {wall} {cpu} {used.ru_maxrss}".encode())
"""


class BenchmarkError(Exception):
    """A measured command failed; its message is what it wrote to standard error."""


def at_least_one(text: str) -> int:
    """A number for an option of a command line."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 or more")
    return int(text)


def told(work: Callable[[], int]) -> int:
    """Do a command's work; what it can't do is one sentence on standard error, and a 1."""
    try:
        return work()
    except (BenchmarkError, ClewError) as error:
        said = str(error)
    except OSError as error:
        said = f"{error.filename or 'the disk'}: {error.strerror or error}"
    print(said, file=sys.stderr)
    return 1


@dataclass(frozen=True)
class Run:
    """One process, run to its end.

    Attributes:
        peak_mb: Of the largest process, in MiB.
        total_mb: Of all processes together, in MiB, at least that of the largest; 0 when it wasn't
            asked for.
    """

    code: int
    out: str
    err: str
    wall: float
    cpu: float
    peak_mb: float
    total_mb: float = 0.0

    @property
    def lines(self) -> list[Any]:
        """What it wrote as JSON, one value a line.

        Raises:
            BenchmarkError: It wrote something else, or nothing.
        """
        try:
            found = [json.loads(line) for line in self.out.split("\n") if line]
        except ValueError:
            found = []
        if not found:
            raise BenchmarkError(f"No JSON came, and the exit code is {self.code}: {self.err}")
        return found


def environment(home: Path) -> dict[str, str]:
    """The environment of a measured command: a home of its own and no settings from outside."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in UNWANTED and not name.startswith(("CLEW_", "GIT_", "XDG_"))
    }
    return {**kept, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}


def run(
    command: Sequence[str | Path],
    env: Mapping[str, str],
    *,
    expect: Sequence[int] = (0,),
    total: bool = False,
) -> Run:
    """Run a command to its end and measure it; with `total`, its workers' memory too.

    Raises:
        BenchmarkError: It ended with another code than expected.
        TimeoutExpired: It took over an hour.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, _pipe() as (read, write):
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", LAUNCHER, str(write), *command],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            pass_fds=(write,),
            start_new_session=True,
        )
        watch = Watch(process.pid) if total else None
        try:
            with watch or nullcontext():
                process.wait(TIMEOUT)
        except BaseException:  # a time-out, or somebody pressed Ctrl-C
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        out.seek(0)
        err.seek(0)
        said = err.read().decode(errors="replace").strip()[-SHOWN:]
        if process.returncode:
            raise BenchmarkError(f"{command[0]} could not be started: {said}")
        code, wall, cpu, peak = os.read(read, 1000).split()
        text = out.read().decode(errors="replace")
        if int(code) not in expect:
            name, told = Path(command[0]).name, said or text.strip()[-SHOWN:]
            raise BenchmarkError(f"{name} {command[1]} ended with {int(code)}: {told}")
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
        peak_mb = int(peak) / unit
        total_mb = max(watch.peak_mb, peak_mb) if watch else 0.0
        return Run(int(code), text, said, float(wall), float(cpu), peak_mb, total_mb)


@contextmanager
def _pipe() -> Generator[tuple[int, int]]:
    read, write = os.pipe()
    try:
        yield read, write
    finally:
        os.close(read)
        os.close(write)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Smallest, median and largest of some measurements, to four significant digits."""
    figures = {"min": min(values), "median": statistics.median(values), "max": max(values)}
    return {name: rounded(value) for name, value in figures.items()}


def rounded(value: float) -> float:
    """To four significant digits: more would be noise."""
    return float(f"{value:.4g}")


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` (0 to 1) of the values don't exceed (nearest rank)."""
    ordered = sorted(values)
    rank = -(-len(ordered) * share // 1)  # rounded up
    return ordered[max(0, int(rank) - 1)]


def machine() -> dict[str, Any]:
    """What was measured on, without anything that names the machine or its owner."""
    model = ""
    if (info := Path("/proc/cpuinfo")).exists():
        lines = (line.partition(":") for line in info.read_text().split("\n"))
        model = next((value.strip() for key, _, value in lines if key.strip() == "model name"), "")
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count())
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "cpu": model,
        "cores": len(usable),
        "memory_gb": round(pages / 1e9, 1),
        "system": sys.platform,
        "python": sys.version.split()[0],
        "git": git.removeprefix("git version").strip(),
        "load_before": round(os.getloadavg()[0], 2),
    }


def keep(path: Path, result: dict[str, Any]) -> None:
    """Write a result file; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
