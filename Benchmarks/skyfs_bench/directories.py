"""Directories: large ones, such as need a request for every size, and walks.

Giving back memory and trusting a certificate of our own need root.
"""

import os
import pathlib
import statistics
import subprocess
import time

from . import mounts
from .apache import FILES, Apache
from .report import Row
from .site import HUGE, MANY, TREE_FILES, TREE_FOLDERS, round_trip


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


def rounded_sizes(site, repetitions):
    with Apache() as apache:
        with mounts.skyfs(site, f"http://127.0.0.1:{apache.port}/rounded/") as mount:
            complete = len(mount.output("ls", mount.path)) == FILES
            asked = apache.requests(1)
        yield Row(
            "`ls` of 2 000 files with rounded sizes: requests", "1", f"{len(asked)}", complete and len(asked) == 1,
            "" if complete else "files are missing")
        yield _rounded(site, apache, apache.port, "http", "HTTP/1.1", 270, repetitions)
        yield _rounded(site, apache, apache.tls_port, "https", "HTTP/2.0", 40, repetitions)


def _rounded(site, apache, port, scheme, protocol, goal, repetitions):
    units, times, right = [], [], True
    before = len(apache.requests(0))
    for _ in range(min(3, repetitions)):
        with site.distant() as url:
            units.append(round_trip(url, min))
        with site.distant(to=port) as url:
            address = url.replace("http:", scheme + ":") + "rounded/"
            with mounts.skyfs(site, address, trusting=apache.certificate) as mount:
                taken, output = _timed(mount, "ls", "-l", mount.path)
        asked = apache.requests(before + 1 + FILES)[before:]
        before += len(asked)
        times.append(taken)
        sizes = [int(line.split()[4]) for line in output[1:]]
        right = right and sizes == [Apache.size(number) for number in range(FILES)]
        right = right and len(asked) == 1 + FILES and all(r[2] == protocol for r in asked)
    return _round_trips(
        f"`ls -l` of the same over {protocol.removesuffix('.0')}, distant", goal, units, times, right,
        "wrong sizes, protocol or number of requests")


def walk(site, repetitions):
    units, times, right = [], [], True
    for _ in range(min(3, repetitions)):
        with site.distant() as url:
            units.append(round_trip(url, min))
            before = len(site.requests())
            with mounts.skyfs(site, url + "tree/") as mount:
                taken, output = _timed(mount, "find", mount.path)
        asked = [r[1] for r in site.requests()[before:] if r[1].startswith("/tree/")]
        times.append(taken)
        right = right and len(output) == 1 + TREE_FOLDERS * (1 + TREE_FILES)
        right = right and len(asked) == len(set(asked)) == 1 + TREE_FOLDERS
    yield _round_trips(
        "`find` over 400 directories of 20 files, distant", 60, units, times, right,
        "files are missing, or a directory was asked for twice")


def _round_trips(case, goal, units, times, right, fault):
    """The listing comes with the mount command and counts as one. The least of the runs is taken, like the least time of a
    bare request: what a busy machine adds is time, but no round trip."""
    trips = [taken / min(units) + 1 for taken in times]
    return Row(
        case, f"<= {goal} round trips", f"{min(trips):.1f}", right and min(trips) <= goal,
        f"runs: {', '.join(f'{t:.1f}' for t in trips)}" + ("" if right else f"; {fault}"))


ALL = [listing, huge_listing, rounded_sizes, walk]
