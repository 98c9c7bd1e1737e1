"""The cases of drop folders."""

import contextlib
import hashlib
import os
import shutil
import statistics
import subprocess
import tempfile
import time

from . import mounts
from .report import Row
from .sink import Sink
from .site import MiB

# What `-o settle` is when nobody says it, in seconds.
SETTLE = 1
BURST = 300


@contextlib.contextmanager
def _drop_folder(site, sink):
    # Beside the files, so that the spool and dd's copy are on one disk.
    spool = tempfile.mkdtemp(prefix="spool.", dir=site.folder)
    try:
        with mounts.skyfs(site, f"drop+{sink.url}", "-o", f"spool={spool}") as mount:
            yield mount
    finally:
        shutil.rmtree(spool)


def _wait(site, mount):
    subprocess.run([site.program, "wait", mount.path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def drop(site, repetitions):
    """512 MiB from the start of cp until the last byte is at the server, against a copy that is brought to the same disk
    and sent by curl. Both in turns, for machines that are shared are never twice the same."""
    source = site.folder / "www" / "half.bin"
    copy = site.folder / "copy.bin"
    ratios, times, growths = [], [], []
    with Sink() as sink:
        for number in range(2 * repetitions + 1):
            with _drop_folder(site, sink) as mount:
                before = mount.resident()
                start = time.monotonic()
                subprocess.run(["cp", source, mount.path / "half.bin"], check=True)
                ours = sink.wait(2 * number + 1)[-1].end - start - SETTLE
                _wait(site, mount)
                growths.append(mount.peak() - before)
            start = time.monotonic()
            subprocess.run(
                ["dd", f"if={source}", f"of={copy}", "bs=1M", "conv=fsync"], check=True, stderr=subprocess.DEVNULL)
            subprocess.run(["curl", "-sf", "-F", f"file=@{copy}", sink.url], check=True)
            theirs = sink.wait(2 * number + 2)[-1].end - start
            copy.unlink()
            ratios.append(ours / theirs)
            times.append(f"{ours:.2f}/{theirs:.2f}")
        assert all(form.size > 512 * MiB for form in sink.forms)
    ratio = statistics.median(ratios)
    yield Row(
        "512 MiB through a drop folder, without `settle`", "<= 1.6 x dd conv=fsync + curl -F", f"{ratio:.2f} x", ratio <= 1.6,
        f"median of pairs; seconds: {', '.join(times)}")
    growth = max(growths)
    yield Row("the same: growth of memory", "<= 32 MiB", f"{growth:.1f} MiB", growth <= 32)


def burst(site, _):
    """300 small files at once: each goes up once, 3 at a time. The receiver is slower than what comes, so that it queues."""
    with Sink(pause=0.02) as sink, _drop_folder(site, sink) as mount, tempfile.TemporaryDirectory(dir=site.folder) as folder:
        digests = {}
        for number in range(BURST):
            name = f"f{number:03}.bin"
            content = name.encode() + os.urandom(number * 40)
            digests[name] = hashlib.sha256(content).hexdigest()
            with open(f"{folder}/{name}", "wb") as file:
                file.write(content)
        start = time.monotonic()
        subprocess.run(["cp", "-r", f"{folder}/.", mount.path], check=True)
        copied = time.monotonic() - start
        _wait(site, mount)
        forms = sink.wait(BURST)
        most = sink.most_open
    sent = max(form.end for form in forms) - start - SETTLE
    arrived = sorted((form.name, form.digest) for form in forms)
    keys = {form.key for form in forms}
    once = arrived == sorted(digests.items()) and len(keys) == BURST and None not in keys
    yield Row(
        f"{BURST} small files at once", "each once, at most 3 at a time", f"{len(forms)} forms, {most} at a time",
        once and most <= 3, f"copied in {copied:.1f} s, all sent after {sent:.1f} s")
