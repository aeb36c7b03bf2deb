"""A server of one's own: started, awaited, and stopped."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence

import httpx

POLL_SECONDS = 0.1
STOP_SECONDS = 10.0
# Bytes of the server's output to show if it does not start.
OUTPUT_MAX = 4_000


class Server:
    """The process group of a server, whose command may be a script."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str] | None, start_seconds: float) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self._command = command
        self._deadline = time.monotonic() + start_seconds
        self._output = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **(env or {}), "PORT": self.url.rpartition(":")[2]},
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError:
            self._output.close()
            raise
        atexit.register(self._signal, signal.SIGKILL)

    def is_ready(self) -> bool:
        """Raises RuntimeError with the server's output if it has ended, or has had its time."""
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{self.url}/readyz", trust_env=False).is_success:
                return True
        if self._process.poll() is not None or time.monotonic() > self._deadline:
            size = self._output.seek(0, os.SEEK_END)
            self._output.seek(max(0, size - OUTPUT_MAX))
            output = self._output.read().decode(errors="replace").strip()
            self.stop()
            raise RuntimeError(f"{self._command[0]} did not start: {output}")
        return False

    def stop(self) -> None:
        """Stops the server gracefully, and kills it if that takes too long."""
        atexit.unregister(self._signal)
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()
        self._output.close()

    def _signal(self, number: int) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])
