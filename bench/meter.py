"""Wall time of a block, and the peak memory of the processes it runs in."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SAMPLE_SECONDS = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Measurement:
    """What a block took.

    Attributes:
        seconds: wall time.
        processor: seconds of processor time of this process and all below it.
        driver_mib: peak resident memory of the JVM, MiB.
        workers_mib: peak resident memory of all Python workers of Spark together, MiB.
        written_mib: size of the files that it left (Parquet, if not said otherwise), MiB.
    """

    seconds: float = 0.0
    processor: float = 0.0
    driver_mib: int = 0
    workers_mib: int = 0
    written_mib: float = 0.0


@contextmanager
def measured(folder: Path, files: str = "*.parquet") -> Iterator[Measurement]:
    """Measure the block, which writes below a folder; the measurement is filled in when it ends.

    Of what it wrote, files with such names count.
    """
    measurement = Measurement()
    began = time.time()
    stop = threading.Event()

    def sample() -> None:
        while not stop.wait(_SAMPLE_SECONDS):
            driver, workers = _resident_bytes()
            measurement.driver_mib = max(measurement.driver_mib, driver >> 20)
            measurement.workers_mib = max(measurement.workers_mib, workers >> 20)

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    started, used = time.perf_counter(), _processor_seconds()
    try:
        yield measurement
    finally:
        measurement.seconds = time.perf_counter() - started
        measurement.processor = _processor_seconds() - used
        stop.set()
        sampler.join()
        measurement.written_mib = _written_bytes(folder, files, began) / (1 << 20)


def _written_bytes(folder: Path, files: str, since: float) -> int:
    """The size of all files of such names below a folder that were written since a moment.

    A file with several names is one.
    """
    found = [path.stat() for path in folder.rglob(files) if path.is_file()]
    sizes = {entry.st_ino: entry.st_size for entry in found if entry.st_mtime >= since}
    return sum(sizes.values())


def _processes() -> Iterator[tuple[str, list[str], int]]:
    """Name, fields behind it in ``stat``, and number of this process and of all below it."""
    children: dict[int, list[int]] = {}
    found: dict[int, tuple[str, list[str]]] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            name, fields = (folder / "stat").read_text().rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        pid = int(folder.name)
        found[pid] = name.split("(", 1)[1], fields.split()
        children.setdefault(int(found[pid][1][1]), []).append(pid)
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        waiting.extend(children.get(pid, []))
        yield *found[pid], pid


def _processor_seconds() -> float:
    """Of these, and of those below that have ended."""
    ticks = sum(sum(map(int, fields[11:15])) for _, fields, _ in _processes())
    return ticks / os.sysconf("SC_CLK_TCK")


def _resident_bytes() -> tuple[int, int]:
    """Resident memory of the JVM below this process, and of the Python workers below that."""
    driver = workers = 0
    for name, fields, pid in _processes():
        resident = int(fields[21]) * _PAGE
        if name == "java":
            driver += resident
        elif name.startswith("python") and pid != os.getpid():
            workers += resident
    return driver, workers
