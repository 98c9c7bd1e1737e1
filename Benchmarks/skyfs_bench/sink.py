"""A receiver of forms that keeps nothing of what it gets, so that it is as fast as loopback."""

import hashlib
import re
import socket
import threading
import time
import typing

from .site import MiB

# Longer bodies are only counted.
KEPT = 64 << 10


class Form(typing.NamedTuple):
    """What came of one form; name, digest and key are None where they are not known."""

    end: float
    size: int
    name: str | None
    digest: str | None
    key: str | None


class Sink:
    """Notes when the last byte of each form came, how many forms were open at once, and of short ones name and digest."""

    def __init__(self, pause=0):
        """`pause`: seconds between the last byte and the answer; the form counts as open for so long."""
        self.pause = pause

    def __enter__(self):
        self.lock = threading.Condition()
        self.open = self.most_open = 0
        self.forms = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        # Wakes `accept`; close alone does not.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/upload"

    def wait(self, count, seconds=120):
        """The forms, once there are so many."""
        with self.lock:
            if not self.lock.wait_for(lambda: len(self.forms) >= count, seconds):
                raise RuntimeError(f"{len(self.forms)} of {count} forms came in {seconds} s")
            return list(self.forms)

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        buffer = bytearray(MiB)
        data = b""
        with connection:
            while True:
                while b"\r\n\r\n" not in data:
                    part = connection.recv(65536)
                    if not part:
                        return
                    data += part
                head, _, data = data.partition(b"\r\n\r\n")
                data = self._take(connection, head, data, buffer)
                if data is None:
                    return
                connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")

    def _take(self, connection, head, data, buffer):
        """Reads a body of which `data` has come; gives what came after it, None if the sender went away."""
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        with self.lock:
            self.open += 1
            self.most_open = max(self.open, self.most_open)
        try:
            if length <= KEPT:
                while len(data) < length:
                    part = connection.recv(65536)
                    if not part:
                        return None
                    data += part
                body, data = data[:length], data[length:]
            else:
                body, rest = b"", length - len(data)
                data = b""
                while rest > 0:
                    count = connection.recv_into(buffer, min(rest, MiB))
                    if count == 0:
                        return None
                    rest -= count
            end = time.monotonic()
            time.sleep(self.pause)
        finally:
            # Before the answer: the next form may be here as soon as that has gone out.
            with self.lock:
                self.open -= 1
        name, digest = self._file(body)
        key = re.search(rb"(?i)idempotency-key: *(\S+)", head)
        with self.lock:
            self.forms.append(Form(end, length, name, digest, key and key[1].decode()))
            self.lock.notify_all()
        return data

    @staticmethod
    def _file(body):
        """Name and SHA-256 of the only part of a form."""
        name = re.search(rb'filename="([^"]*)"', body)
        if not name:
            return None, None
        boundary = body.partition(b"\r\n")[0]
        content = body.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n" + boundary + b"--\r\n")
        return name[1].decode(), hashlib.sha256(content).hexdigest()
