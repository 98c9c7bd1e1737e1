"""An Apache on loopback whose listings show rounded sizes, over HTTP/1.1 and over TLS with HTTP/2."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from .site import free_port

MODULES = "mpm_event authz_core dir autoindex ssl socache_shmcb http2".split()

CONFIGURATION = """
{modules}
ServerName 127.0.0.1
ServerRoot {folder}
DefaultRuntimeDir {folder}
PidFile {folder}/apache.pid
ErrorLog {folder}/error.log
LogFormat "%m|%U|%H|%>s" bench
CustomLog {folder}/access.log bench
User nobody
Group nogroup
Listen 127.0.0.1:{port}
Listen 127.0.0.1:{tls_port}
DocumentRoot {folder}/www
<Directory {folder}/www>
    Options Indexes
    Require all granted
</Directory>
IndexOptions FancyIndexing NameWidth=*
<VirtualHost 127.0.0.1:{tls_port}>
    SSLEngine on
    SSLCertificateFile {folder}/certificate.pem
    SSLCertificateKeyFile {folder}/key.pem
    Protocols h2
</VirtualHost>
"""

FILES = 2_000


def _module(name):
    return f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so"


class Apache:
    """rounded/: 2 000 files of 3 000 to 4 999 bytes."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="skyfs-bench-apache."))
        os.chmod(self.folder, 0o755)
        try:
            folder = self.folder / "www" / "rounded"
            folder.mkdir(parents=True)
            for number in range(FILES):
                (folder / f"file-{number:04}.dat").write_bytes(bytes(self.size(number)))
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                 "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "key.pem",
                 "-out", self.certificate], check=True, stderr=subprocess.DEVNULL)
            self.port, self.tls_port = free_port(), free_port()
            (self.folder / "apache.conf").write_text(CONFIGURATION.format(
                folder=self.folder, port=self.port, tls_port=self.tls_port, modules="\n".join(map(_module, MODULES))))
            self.process = subprocess.Popen(
                ["apache2", "-d", self.folder, "-f", self.folder / "apache.conf", "-DFOREGROUND"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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

    @staticmethod
    def size(number):
        return 3_000 + number % 2_000

    @property
    def certificate(self):
        return self.folder / "certificate.pem"

    def _wait_for_port(self):
        for _ in range(200):
            if self.process.poll() is not None:
                raise RuntimeError("Apache did not start")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise RuntimeError("Apache did not start in time")

    def requests(self):
        """(method, path, protocol, status) of every request so far; Apache logs at the end of an answer."""
        time.sleep(0.3)
        return [tuple(line.split("|")) for line in (self.folder / "access.log").read_text().splitlines()]
