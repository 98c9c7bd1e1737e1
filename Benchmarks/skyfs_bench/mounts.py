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
    def __init__(self, path, pid, enter=()):
        """`enter`: words before a command that is to see the mount."""
        self.path = pathlib.Path(path)
        self.pid = pid
        self.enter = enter

    def output(self, *command):
        """Lines of a command that succeeds, in an order that does not depend on the user's language."""
        command = [*self.enter, *map(str, command)]
        return subprocess.check_output(command, text=True, env={**os.environ, "LC_ALL": "C"}).splitlines()

    def peak(self):
        """Peak resident memory in MiB."""
        return self._memory("VmHWM")

    def resident(self):
        """Resident memory in MiB."""
        return self._memory("VmRSS")

    def _memory(self, name):
        lines = pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))

    def reset_peak(self):
        pathlib.Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def cpu(self):
        """CPU time used so far, in seconds."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def skyfs(site, url, *options, trusting=None):
    """`trusting`: a certificate that this mount takes in place of the system's CAs. libcurl reads no other file, so the
    mount gets a mount namespace of its own, which needs root; it ends with the last process in it."""
    folder = tempfile.mkdtemp(prefix="skyfs-bench-mount.")
    mount = None
    try:
        command = [site.program, "mount", url, folder, *options]
        if trusting:
            place = f"mount --bind {trusting} /etc/ssl/certs/ca-certificates.crt"
            command = ["unshare", "--mount", "sh", "-ec", place + '; exec "$@"', "sh", *command]
        subprocess.run(command, check=True)
        pid = int(subprocess.check_output(["pgrep", "-f", f"^skyfs mount .* {folder}$"], text=True).split()[0])
        mount = Mount(folder, pid, ["nsenter", f"--mount=/proc/{pid}/ns/mnt"] if trusting else [])
        yield mount
    finally:
        if mount and trusting:
            subprocess.run([*mount.enter, "fusermount3", "-u", folder], check=True)
        elif os.path.ismount(folder):
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
