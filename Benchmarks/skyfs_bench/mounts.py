"""Mounts of skyfs and its peers."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time


def unmount(folder):
    for _ in range(50):
        if subprocess.run(["fusermount3", "-u", folder], stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    subprocess.run(["fusermount3", "-uz", folder])


class Mount:
    def __init__(self, path, pid):
        self.path = pathlib.Path(path)
        self.pid = pid

    def peak(self):
        """Peak resident memory in MiB."""
        return self._memory("VmHWM")

    def resident(self):
        """Present resident memory in MiB."""
        return self._memory("VmRSS")

    def _memory(self, field):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field):
                return int(line.split()[1]) / 1024
        return 0.0


@contextlib.contextmanager
def skyfs(site, url, *options):
    folder = tempfile.mkdtemp(prefix="skyfs-bench-mount.")
    try:
        subprocess.run([site.program, "mount", url, folder, *options], check=True)
        pids = subprocess.check_output(["pgrep", "-f", f"^skyfs mount .* {folder}$"], text=True).split()
        yield Mount(folder, int(pids[0]))
    finally:
        if os.path.ismount(folder):
            unmount(folder)
        os.rmdir(folder)


@contextlib.contextmanager
def rclone(url):
    folder = tempfile.mkdtemp(prefix="rclone-bench-mount.")
    process = subprocess.Popen(
        ["rclone", "mount", ":http:", folder, "--http-url", url, "--read-only", "--vfs-cache-mode", "off"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(folder, process)
        yield Mount(folder, process.pid)
    finally:
        unmount(folder)
        process.wait()
        os.rmdir(folder)


@contextlib.contextmanager
def httpdirfs(url):
    folder = tempfile.mkdtemp(prefix="httpdirfs-bench-mount.")
    process = subprocess.Popen(
        ["httpdirfs", "-f", url, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(folder, process)
        yield Mount(folder, process.pid)
    finally:
        unmount(folder)
        process.wait()
        os.rmdir(folder)


def _wait(folder, process):
    for _ in range(600):
        if os.path.ismount(folder):
            return
        if process.poll() is not None:
            raise RuntimeError(f"{process.args[0]} did not mount")
        time.sleep(0.05)
    raise RuntimeError(f"{process.args[0]} did not mount in time")


def installed(name):
    return shutil.which(name) is not None
