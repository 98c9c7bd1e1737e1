"""Directories: large ones, such as need a request for every size, and walks."""

import os
import pathlib
import statistics
import subprocess
import time

from . import mounts
from .apache import FILES, Apache
from .report import Row
from .site import HUGE, MANY, TREE_FILES, TREE_FOLDERS, MiB, round_trip


def _timed(mount, *command):
    start = time.monotonic()
    output = mount.output(*command)
    return time.monotonic() - start, output


def listing(site, repetitions):
    times, peers = [], []
    before = site.requests()
    for _ in range(repetitions):
        with mounts.skyfs(site, site.url + "many/") as mount:
            taken, output = _timed(mount, "ls", "-l", mount.path)
            times.append(taken)
            assert len(output) == MANY + 1, "files are missing"
    requests = site.requests()[len(before):]
    passed = len(requests) == repetitions and all(r[0] == "GET" for r in requests)
    yield Row("`ls -l` of 20 000 files: requests", "1, no HEAD", f"{len(requests) / repetitions:.0f}", passed)
    if mounts.installed("rclone"):
        for _ in range(min(2, repetitions)):
            with mounts.rclone(site.url + "many/") as mount:
                peers.append(_timed(mount, "ls", "-l", mount.path)[0])
        ratio = statistics.median(peers) / statistics.median(times)
        yield Row("the same: time", ">= 8 x faster than rclone", f"{ratio:.1f} x", ratio >= 8, f"{statistics.median(times):.2f} s")


def huge_listing(site, _):
    before = site.requests()
    with mounts.skyfs(site, site.url, "-o", "ttl=10") as mount:
        # What every first listing brings into memory, whatever its size.
        mount.output("ls", "-l", mount.path / "small")
        requests, memory, cpu = len(site.requests()), mount.resident(), mount.cpu()
        mount.reset_peak()
        taken, output = _timed(mount, "ls", "-l", mount.path / "huge")
        cpu, growth, peak = mount.cpu() - cpu, mount.resident() - memory, mount.peak() - memory
        complete = len(output) == HUGE + 1
        asked = site.requests()[requests:]
        left = _after_the_ttl(mount, memory)
    yield Row(
        "`ls -l` of 100 000 files: requests", "1, no HEAD", f"{len(asked)}",
        complete and [r[0] for r in asked] == ["GET"], "" if complete else "files are missing")
    yield Row("the same: our CPU time", "<= 1.5 s", f"{cpu:.2f} s", cpu <= 1.5, f"{taken:.2f} s in all")
    yield Row("the same: memory", "<= 48 MiB", f"{growth:.1f} MiB", growth <= 48, f"at its peak {peak:.1f} MiB")
    yield Row("the same: memory after the TTL and once forgotten", "<= 4 MiB", f"{left:.1f} MiB", left <= 4)


def _after_the_ttl(mount, memory):
    """What is left of a listing, in MiB. The kernel's nodes are dropped again and again: it does not drop all at once."""
    left = mount.resident() - memory
    for _ in range(30):
        time.sleep(1)
        pathlib.Path("/proc/sys/vm/drop_caches").write_text("2")
        left = mount.resident() - memory
        if left <= 4:
            break
    return left


def rounded_sizes(site, _):
    with Apache() as apache:
        with mounts.skyfs(site, f"http://127.0.0.1:{apache.port}/rounded/") as mount:
            plain = len(mount.output("ls", mount.path))
            asked = apache.requests()
            yield Row("`ls` of 2 000 files with rounded sizes: requests", "1", f"{len(asked)}", plain == FILES and len(asked) == 1)
        yield _rounded(site, apache, apache.port, "http", "HTTP/1.1", 270)
        yield _rounded(site, apache, apache.tls_port, "https", "HTTP/2.0", 40)


def _rounded(site, apache, port, scheme, protocol, goal):
    with site.distant() as url:
        unit = round_trip(url)
    with site.distant(to=port) as url:
        address = url.replace("http:", scheme + ":") + "rounded/"
        with mounts.skyfs(site, address, trusting=apache.certificate) as mount:
            # The listing is here, from the mount command; it costs one of the round trips.
            before = len(apache.requests())
            taken, output = _timed(mount, "ls", "-l", mount.path)
            asked = apache.requests()[before:]
    sizes = [int(line.split()[4]) for line in output[1:]]
    right = sizes == [Apache.size(number) for number in range(FILES)] and all(r[2] == protocol for r in asked)
    trips = taken / unit + 1
    return Row(
        f"`ls -l` of the same over {protocol.removesuffix('.0')}, distant", f"<= {goal} round trips, sizes right",
        f"{trips:.1f}", right and trips <= goal,
        f"{len(asked)} requests; a round trip took {unit * 1000:.1f} ms" + ("" if right else "; wrong sizes or protocol"))


def walk(site, _):
    with site.distant() as url:
        unit = round_trip(url)
        with mounts.skyfs(site, url + "tree/") as mount:
            before = len(site.requests())
            taken, output = _timed(mount, "find", mount.path)
            asked = site.requests()[before:]
    complete = len(output) == 1 + TREE_FOLDERS * (1 + TREE_FILES)
    trips = taken / unit + 1
    yield Row(
        "`find` over 400 directories of 20 files, distant", "<= 60 round trips", f"{trips:.1f}",
        complete and len(asked) == TREE_FOLDERS and trips <= 60,
        f"{len(asked) + 1} requests; a round trip took {unit * 1000:.1f} ms" + ("" if complete else "; files are missing"))


ALL = [listing, huge_listing, rounded_sizes, walk]
