"""One measured row, and the page made of all of them."""

import dataclasses
import datetime
import os
import platform
import subprocess


@dataclasses.dataclass
class Row:
    case: str
    goal: str
    figure: str
    passed: bool
    remark: str = ""

    def line(self):
        return f"{'PASS' if self.passed else 'FAIL'}  {self.case}: {self.figure} (goal {self.goal}) {self.remark}"


def _version(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return f"{command[0]}: not installed"


def write(path, rows):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Figures of one run on one machine; only ratios within a run mean something, and machines that",
        "are shared are noisy. The server is nginx on loopback, or Apache where sizes are rounded; *distant* means a TCP relay with",
        "20 ms of delay each way and 20 MB/s for each connection in front of it. Cold means a fresh mount; the server's files are",
        "in its page cache. What is dropped goes to a receiver that throws it away, the same for skyfs and curl.",
        "",
        f"{datetime.date.today()}: {os.cpu_count()} cores, {memory} GiB, Linux {platform.release()}; "
        + "; ".join([_version("curl", "--version").split("(")[0].strip(), _version("rclone", "--version")])
        + f"; load average {os.getloadavg()[1]:.0f}",
        "",
        "| case | goal | measured | met | remark |",
        "|---|---|---|---|---|",
    ]
    lines += [f"| {r.case} | {r.goal} | {r.figure} | {'yes' if r.passed else '**no**'} | {r.remark} |" for r in rows]
    path.write_text("\n".join(lines) + "\n")
