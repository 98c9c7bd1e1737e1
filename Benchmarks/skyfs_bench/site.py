"""An nginx on loopback with files to read, and a slow line in front of it."""

import contextlib
import hashlib
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

MiB = 1 << 20
GiB = 1 << 30

MANY, HUGE = 20_000, 100_000
TREE_FOLDERS, TREE_FILES = 400, 20

CONFIGURATION = """
worker_processes 2;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
daemon off;
events {{ worker_connections 1024; }}
http {{
    log_format bench '$request_method|$request_uri|$http_range|$status|$body_bytes_sent';
    access_log {folder}/access.log bench;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    sendfile on;
    server {{ listen 127.0.0.1:{port}; root {folder}/www; autoindex on; keepalive_requests 100000; }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def round_trip(url, choose=statistics.median):
    """Median, or what `choose` takes instead, of the times of a small range of big.bin on a kept connection."""
    sizes = ["-r", "0-99", "-o", "/dev/null"]
    command = ["curl", "-s", "-w", "%{time_starttransfer}\\n"]
    for _ in range(12):
        command += [*sizes, url + "big.bin"]
    times = [float(line) for line in subprocess.check_output(command, text=True).split()]
    return choose(times[1:])


class Site:
    """Files: warm.bin and big.bin (1 GiB), half.bin (512 MiB), mid.bin (256 MiB), sparse.bin (5 GiB), heads/ (50 x 20 MiB),
    many/ (20 000 small files), huge/ (100 000), tree/ (400 x 20), small/ (500 x 64 KiB)."""

    def __init__(self, program):
        self.program = program
        self.demo_server = program.parent / "skyfs-demo-server"

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="skyfs-bench."))
        # nginx's workers drop root and must still reach the files.
        os.chmod(self.folder, 0o755)
        try:
            self._make_files()
            self.port = free_port()
            (self.folder / "nginx.conf").write_text(CONFIGURATION.format(folder=self.folder, port=self.port))
            self.process = subprocess.Popen(
                ["nginx", "-c", self.folder / "nginx.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._wait_for_port()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        process = getattr(self, "process", None)
        if process:
            process.terminate()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def _make_files(self):
        www = self.folder / "www"
        www.mkdir()
        # 1 MiB of noise, every block marked with its number: cheap to make, and a wrong block never looks right.
        noise = os.urandom(MiB)
        for name, size in [("warm.bin", GiB), ("big.bin", GiB), ("half.bin", 512 * MiB), ("mid.bin", 256 * MiB)]:
            self._write(www / name, size, noise)
        with open(www / "sparse.bin", "wb") as file:
            file.truncate(5 * GiB)
            file.seek(5 * GiB - MiB)
            file.write(noise)
        for folder, count, size in [("heads", 50, 20 * MiB), ("small", 500, 64 << 10)]:
            (www / folder).mkdir()
            for number in range(count):
                self._write(www / folder / f"f{number:03}.bin", size, noise)
        folders = [("many", MANY), ("huge", HUGE)] + [(f"tree/d{n:03}", TREE_FILES) for n in range(TREE_FOLDERS)]
        for folder, count in folders:
            (www / folder).mkdir(parents=True)
            for number in range(count):
                (www / folder / f"file-{number:06}.dat").write_bytes(b"0123456789")
        os.sync()

    @staticmethod
    def _write(path, size, noise):
        with open(path, "wb") as file:
            for number in range(0, size, len(noise)):
                part = noise[: min(len(noise), size - number)]
                file.write(number.to_bytes(8, "big") + part[8:])

    def _wait_for_port(self):
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise RuntimeError("nginx did not start")

    def digest(self, name, start=0, length=None):
        digest = hashlib.sha256()
        with open(self.folder / "www" / name, "rb") as file:
            file.seek(start)
            while length is None or length > 0:
                part = file.read(MiB if length is None else min(MiB, length))
                if not part:
                    break
                digest.update(part)
                length = None if length is None else length - len(part)
        return digest.hexdigest()

    def read(self, name, start, length):
        with open(self.folder / "www" / name, "rb") as file:
            file.seek(start)
            return file.read(length)

    def requests(self):
        """(method, target, range, status, body bytes) of every request so far; nginx logs at the end of an answer."""
        time.sleep(0.3)
        lines = (self.folder / "access.log").read_text().splitlines()
        return [(m, t, r, int(s), int(b)) for m, t, r, s, b in (line.split("|") for line in lines)]

    @contextlib.contextmanager
    def distant(self, rate=20_000_000, to=None):
        """The URL of the site, or of the server at another port, behind 40 ms of round trip and `rate` bytes a second for each connection."""
        process = subprocess.Popen(
            [self.demo_server, "relay", "--to", str(to or self.port), "--delay-ms", "20", "--rate", str(rate)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.terminate()
            process.wait()
