"""A server process that outlives the command that started it."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pyspark_dms.errors import DmsError

STOP_SECONDS = 60.0
# How long one that was killed may take to leave its port.
LEAVE_SECONDS = 15.0
# Writes down the process and its port, then becomes the command: the process stays the same.
_NOTED = """
printf '{"pid": %d, "port": %d}' $$ "$2" >"$1.new" && mv "$1.new" "$1" && shift 2 && exec "$@"
"""
_LOG_LINES_SHOWN = 15


@dataclass(frozen=True)
class RunningServer:
    """The process that a pid file tells of, and the port it was started on."""

    pid: int
    port: int


@dataclass(frozen=True)
class Background:
    """One server process, known by its pid file.

    Attributes:
        folder: where its pid file and its log are, and its current folder; an absolute path.
        name: their name: ``<name>.json`` and ``<name>.log``.
        title: what messages call it, such as "The server".
        mark: a word of its command line, which tells it from other processes.
    """

    folder: Path
    name: str
    title: str
    mark: str

    @property
    def log_file(self) -> Path:
        """What the process prints; written again at each start."""
        return self.folder / f"{self.name}.log"

    @property
    def pid_file(self) -> Path:
        """JSON with the process id and the port."""
        return self.folder / f"{self.name}.json"

    def noted(self) -> RunningServer | None:
        """What the pid file says, true or not."""
        try:
            content = json.loads(self.pid_file.read_text(encoding="utf-8"))
            return RunningServer(int(content["pid"]), int(content["port"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def running(self) -> RunningServer | None:
        """The process that was started, if it is alive."""
        noted = self.noted()
        return noted if noted and self._is_ours(noted.pid) else None

    def launch(self, command: Sequence[str], port: int, environment: Mapping[str, str]) -> None:
        """Start the process and return when it is noted; it need not answer yet.

        It notes itself, so that one whose start was interrupted at any moment is found again.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("wb") as log:
            process = subprocess.Popen(
                ["/bin/sh", "-c", _NOTED, "sh", str(self.pid_file), str(port), *command],
                cwd=self.folder,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                # It outlives this command, and Ctrl-C in the terminal is not meant for it.
                start_new_session=True,
            )
        while self.noted() != RunningServer(process.pid, port) and process.poll() is None:
            time.sleep(0.01)

    def wait_until(self, answers: Callable[[], bool], timeout_seconds: float) -> None:
        """Wait until the process answers.

        Raises:
            DmsError: it ended, or did not answer in time; the text has the end of its log.
        """
        if not self.lasts_until(answers, timeout_seconds):
            raise DmsError(
                "E681", f"{self.title} ended while it started.\n{log_tail(self.log_file)}"
            )

    def lasts_until(self, answers: Callable[[], bool], timeout_seconds: float) -> bool:
        """Wait until the process answers; False if it ends before that.

        Raises:
            DmsError: it did not answer in time; the text has the end of its log.
        """
        deadline = time.monotonic() + timeout_seconds
        while not answers():
            if self.running() is None:
                return False
            if time.monotonic() > deadline:
                raise DmsError(
                    "E681",
                    f"{self.title} does not answer in time; it is left running.\n"
                    f"{log_tail(self.log_file)}",
                )
            time.sleep(0.3)
        return True

    def stop(self, timeout_seconds: float = STOP_SECONDS) -> bool:
        """Like `end`, and forget its port."""
        try:
            return self.end(timeout_seconds)
        finally:
            self.pid_file.unlink(missing_ok=True)

    def end(self, timeout_seconds: float = STOP_SECONDS) -> bool:
        """End the process and wait until it is gone; False if none was running.

        Raises:
            DmsError: it did not end in time, so it was killed; nothing published is harmed.
        """
        running = self.running()
        if running is None:
            return False
        _signal(running.pid, signal.SIGTERM)
        ended = self._wait_for_end(running.pid, timeout_seconds)
        if not ended:
            _signal(running.pid, signal.SIGKILL)
            self._wait_for_end(running.pid, timeout_seconds)
        if not ended:
            raise DmsError(
                "E681",
                f"{self.title} did not end within {timeout_seconds:g} s and was killed (process "
                f"{running.pid}). What was published is untouched; the next run repairs the rest.",
            )
        return True

    def _is_ours(self, pid: int) -> bool:
        """Whether the process is alive and, where that can be told, the one that was started.

        A process id is used again by the system, so an old pid file may point at anything.
        """
        _reap(pid)
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return False
        process = Path(f"/proc/{pid}")
        try:
            command = (process / "cmdline").read_bytes()
            # The state stands behind the name, which is in brackets and may hold anything.
            is_zombie = (process / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            # It ended just now, or this system has no /proc.
            return not process.parent.joinpath("self").exists()
        # Between two programs, as the start scripts hand over to Java, there is no command.
        return not is_zombie and (not command or self.mark.encode() in command)

    def _wait_for_end(self, pid: int, timeout_seconds: float) -> bool:
        deadline = time.monotonic() + timeout_seconds
        while self._is_ours(pid) or _has_threads(pid):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True


def python_environment() -> dict[str, str]:
    """This environment, in which a Python finds these modules."""
    hooks = str(Path(__file__).resolve().parents[2])
    paths = filter(None, [hooks, os.environ.get("PYTHONPATH")])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def log_tail(log_file: Path) -> str:
    """The last lines of a log, under its name."""
    if not log_file.exists():
        return f"It left no log ({log_file})."
    lines = log_file.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join([f"The end of {log_file}:", *lines[-_LOG_LINES_SHOWN:]])


def port_is_taken(host: str, port: int) -> bool:
    """Whether something takes connections there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.settimeout(5)
        return probe.connect_ex((host, port)) == 0


def port_is_left(host: str, port: int, seconds: float = LEAVE_SECONDS) -> bool:
    """Whether nothing takes connections there, or stops to within so many seconds.

    A process that was killed counts as gone before all of its threads and children are, which still
    hold its port.
    """
    deadline = time.monotonic() + seconds
    while port_is_taken(host, port):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.1)
    return True


def free_port() -> int:
    """A loopback port that is free now.

    It is none of those that the system gives to outgoing connections, from 32768 on with Linux: one
    of these could have taken it by the time that a server asks for it.

    Raises:
        DmsError: there is none.
    """
    for port in random.sample(range(16384, 32768), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise DmsError(
        "E680", "None of a hundred ports on 127.0.0.1 can be had. Is there a loopback address?"
    )


def _signal(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):  # it may just have ended
        os.kill(pid, number)


def _has_threads(pid: int) -> bool:
    # The first thread, by which a process is known, can be gone before the others, which hold its
    # files and its port.
    try:
        return len(list(Path(f"/proc/{pid}/task").iterdir())) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def _reap(pid: int) -> None:
    # A child that has ended stays a zombie, and so "alive", until its parent asks.
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
