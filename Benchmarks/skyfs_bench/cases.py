"""The cases. Each gives rows with a figure and whether it meets its goal."""

import concurrent.futures
import hashlib
import os
import random
import socket
import statistics
import subprocess
import tempfile
import threading
import time

from . import directories, drops, mounts
from .flights import flights
from .report import Row
from .site import GiB, MiB, round_trip


def _timed(*command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def _dd(path):
    return _timed("dd", f"if={path}", "of=/dev/null", "bs=1M")


def _curl(url):
    return _timed("curl", "-s", "-o", "/dev/null", url)


def sequential(site, repetitions):
    """1 GiB cold, after a pass over another file.

    The pass is there to warm memory: on a virtual machine the first touch of a page costs several times what copying into
    it does. Its pages are then dropped from the kernel's cache, so that the measured pass gets them.
    """
    ratios, peers = [], {}
    for _ in range(repetitions):
        with mounts.skyfs(site, site.url) as mount:
            _dd(mount.path / "warm.bin")
            subprocess.run(
                ["dd", f"if={mount.path}/warm.bin", "iflag=nocache", "count=0"], stderr=subprocess.DEVNULL, check=True)
            ours = _dd(mount.path / "big.bin")
        curl = _curl(site.url + "big.bin")
        ratios.append(curl / ours)
    for name, make in [("rclone", mounts.rclone), ("httpdirfs", mounts.httpdirfs)]:
        if mounts.installed(name):
            try:
                with make(site.url) as mount:
                    peers[name] = f"{_curl(site.url + 'big.bin') / _dd(mount.path / 'big.bin'):.2f}"
            except (subprocess.CalledProcessError, RuntimeError):
                peers[name] = "failed"
    remark = ", ".join(f"{name} {figure}" for name, figure in peers.items())
    ratio = statistics.median(ratios)
    yield Row(
        "1 GiB sequential, cold", ">= 0.85 x curl", f"{ratio:.2f} x", ratio >= 0.85,
        f"runs: {', '.join(f'{r:.2f}' for r in ratios)}; {remark}")


def distant(site, repetitions):
    with site.distant() as url:
        curl = _curl(url + "mid.bin")
        ratios = []
        for _ in range(min(3, repetitions)):
            with mounts.skyfs(site, url) as mount:
                ratios.append(curl / _dd(mount.path / "mid.bin"))
    ratio = statistics.median(ratios)
    yield Row("256 MiB, distant", ">= 5 x curl", f"{ratio:.2f} x", ratio >= 5, f"runs: {', '.join(f'{r:.2f}' for r in ratios)}")


def _random_reads(site, threads, each):
    with site.distant() as url:
        unit = round_trip(url)
        with mounts.skyfs(site, url) as mount:
            spread = GiB // (threads * each) & ~4095
            offsets = [number * spread for number in range(1, threads * each)] + [spread // 2 & ~4095]
            random.Random(7).shuffle(offsets)
            descriptor = os.open(mount.path / "big.bin", os.O_RDONLY)
            before = site.requests()

            def read(part):
                times = []
                for offset in part:
                    start = time.monotonic()
                    data = os.pread(descriptor, 4096, offset)
                    times.append(time.monotonic() - start)
                    assert data == site.read("big.bin", offset, 4096), f"wrong bytes at {offset}"
                return times

            start = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(threads) as pool:
                parts = [offsets[number::threads] for number in range(threads)]
                times = [t for part in pool.map(read, parts) for t in part]
            total = time.monotonic() - start
            os.close(descriptor)
            fetched = sum(r[4] for r in site.requests()[len(before):])
    return unit, times, total, fetched / len(offsets)


def random_reads(site, _):
    unit, times, _, fetched = _random_reads(site, 1, 200)
    median = statistics.median(times) / unit
    yield Row("200 random 4 KiB reads, distant: median", "<= 1.15 round trips", f"{median:.2f}", median <= 1.15)
    yield Row(
        "the same: fetched per read", "<= 64 KiB", f"{fetched / 1024:.1f} KiB", fetched <= 64 * 1024)


def parallel_random_reads(site, _):
    unit, _, total, _ = _random_reads(site, 8, 50)
    yield Row(
        "8 threads x 50 random reads, distant", "<= 70 round trips", f"{total / unit:.1f}", total / unit <= 70)


def heads(site, _):
    before = site.requests()
    with mounts.skyfs(site, site.url + "heads/") as mount:
        for path in sorted(mount.path.iterdir()):
            with open(path, "rb", buffering=0) as file:
                file.read(4096)
        fetched = sum(r[4] for r in site.requests()[len(before):] if r[1].endswith(".bin"))
    yield Row("first 4 KiB of 50 files of 20 MiB", "<= 8 MiB fetched", f"{fetched / MiB:.1f} MiB", fetched <= 8 * MiB)


def two_readers(site, _):
    before = site.requests()
    with mounts.skyfs(site, site.url) as mount:
        readers = [
            subprocess.Popen(["cat", mount.path / "mid.bin"], stdout=subprocess.DEVNULL) for _ in range(2)]
        for reader in readers:
            reader.wait()
        fetched = sum(r[4] for r in site.requests()[len(before):] if r[1] == "/mid.bin")
    yield Row(
        "two readers of one cold file", "each byte once", f"{fetched / (256 * MiB):.3f}", fetched == 256 * MiB)


def first_byte(site, repetitions):
    median = statistics.median(_first_byte(site) for _ in range(2 * repetitions)) * 1000
    yield Row("mount command to first byte", "<= 60 ms", f"{median:.0f} ms", median <= 60)


def _first_byte(site):
    folder = tempfile.mkdtemp(prefix="skyfs-bench-mount.")
    start = time.monotonic()
    subprocess.run([site.program, "mount", site.url + "small/", folder], check=True)
    with open(f"{folder}/f000.bin", "rb", buffering=0) as file:
        file.read(1)
    taken = time.monotonic() - start
    mounts.unmount(folder)
    os.rmdir(folder)
    return taken


def memory(site, _):
    with mounts.skyfs(site, site.url + "many/") as mount:
        subprocess.run(["ls", "-l", mount.path], stdout=subprocess.DEVNULL)
        with_listing = mount.peak()
    with mounts.skyfs(site, site.url + "small/") as mount:
        os.listdir(mount.path)
        without = mount.peak()
    cost = with_listing - without
    yield Row("memory of a 20 000-entry listing", "<= 12 MiB", f"{cost:.1f} MiB", cost <= 12)
    with mounts.skyfs(site, site.url) as mount:
        _dd(mount.path / "big.bin")
        subprocess.run(["ls", "-l", mount.path / "many"], stdout=subprocess.DEVNULL)
        for path in (mount.path / "heads").iterdir():
            with open(path, "rb", buffering=0) as file:
                file.read(4096)
        files = [open(mount.path / "small" / f"f{number:03}.bin", "rb", buffering=0) for number in range(500)]
        for file in files:
            file.read(65536)
        peak = mount.peak()
        for file in files:
            file.close()
    yield Row("peak memory: 1 GiB, listings, 500 files open and read", "<= 192 MiB", f"{peak:.0f} MiB", peak <= 192)


def stalled(site, _):
    """64 readers of a file whose server has fallen silent, then another file of the same server."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    port = listener.getsockname()[1]

    def serve(connection):
        with connection:
            data = b""
            while part := connection.recv(65536):
                data += part
                while b"\r\n\r\n" in data:
                    head, data = data.split(b"\r\n\r\n", 1)
                    target = head.split(b" ")[1]
                    if target == b"/":
                        body = b'<pre><a href="hang.bin">hang.bin</a> 02-Jan-2026 03:39 67108864\n' \
                               b'<a href="ok.txt">ok.txt</a> 02-Jan-2026 03:39 3\n</pre>'
                        connection.sendall(
                            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                    elif target == b"/ok.txt":
                        connection.sendall(
                            b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-2/3\r\nETag: \"o\"\r\n"
                            b"Content-Length: 3\r\n\r\nok\n")
                    elif b"bytes=0-131071" in head:
                        connection.sendall(
                            b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-131071/67108864\r\nETag: \"h\"\r\n"
                            b"Content-Length: 131072\r\n\r\n" + bytes(131072))

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with mounts.skyfs(site, f"http://127.0.0.1:{port}/") as mount:
        readers = [
            subprocess.Popen(
                ["dd", f"if={mount.path}/hang.bin", "of=/dev/null", "bs=4096", f"skip={256 * (n + 1)}", "count=1"],
                stderr=subprocess.DEVNULL)
            for n in range(64)
        ]
        time.sleep(1)
        start = time.monotonic()
        text = (mount.path / "ok.txt").read_bytes()
        taken = time.monotonic() - start
        for reader in readers:
            reader.kill()
        for reader in readers:
            reader.wait()
    # shutdown wakes accept, close alone does not.
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    yield Row(
        "64 readers of a stalled file, then another file", "<= 1 s", f"{taken:.2f} s", taken <= 1 and text == b"ok\n")


def digests(site, _):
    with mounts.skyfs(site, site.url) as mount:
        whole = subprocess.check_output(["sha256sum", mount.path / "big.bin"], text=True).split()[0]
        with open(mount.path / "sparse.bin", "rb", buffering=0) as file:
            file.seek(5 * GiB - MiB)
            end = hashlib.sha256(file.read(MiB)).hexdigest()
        chances = random.Random(11)
        ranges = [(chances.randrange(GiB), chances.randrange(1, 300_000)) for _ in range(1000)]
        descriptor = os.open(mount.path / "warm.bin", os.O_RDONLY)

        def right(part):
            return all(os.pread(descriptor, n, o) == site.read("warm.bin", o, n) for o, n in part)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            ranges_right = all(pool.map(right, [ranges[number::8] for number in range(8)]))
        os.close(descriptor)
    same = [whole == site.digest("big.bin"), end == site.digest("sparse.bin", 5 * GiB - MiB, MiB), ranges_right]
    yield Row(
        "SHA-256 of 1 GiB, of the last MiB of 5 GiB, of 1 000 random ranges by 8 threads", "equal to the server's",
        "equal" if all(same) else f"different: {same}", all(same))


ALL = [
    sequential, distant, random_reads, parallel_random_reads, heads, two_readers, *directories.ALL, first_byte, memory,
    stalled, digests, flights, drops.drop, drops.burst,
]
