"""A PostgreSQL cluster of the tests' own, from the binaries that are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

PACKAGE = "postgresql"


def find_binaries() -> Path | None:
    """Return the folder with ``initdb`` and ``pg_ctl``."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return next((folder for folder in reversed(folders) if (folder / "initdb").exists()), None)


@dataclass
class Cluster:
    """A cluster in a folder of its own, reached by a socket there; as user postgres where we are root."""

    binaries: Path
    folder: Path
    numbers: count[int] = field(default_factory=count)

    @classmethod
    def make(cls, binaries: Path) -> Cluster:
        folder = Path(tempfile.mkdtemp(prefix="wo-pg-"))
        cluster = cls(binaries, folder)
        if cluster.owner:
            shutil.chown(folder, cluster.owner)
        cluster.run("initdb", "-D", str(folder / "data"), "-A", "trust", "-U", "study", "-N", "-E", "UTF8")
        cluster.start()
        return cluster

    @property
    def owner(self) -> str | None:
        """Who the cluster belongs to: it refuses to be root's."""
        return pwd.getpwnam("postgres").pw_name if os.geteuid() == 0 else None

    def create_database(self) -> str:
        """Create an empty database and return its URL."""
        import psycopg

        name = f"study{next(self.numbers)}"
        with psycopg.connect(f"host={self.folder} user=study dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return f"postgresql+psycopg://study@/{name}?host={self.folder}"

    def run(self, program: str, *arguments: str) -> None:
        command = [str(self.binaries / program), *arguments]
        nowhere = subprocess.DEVNULL
        subprocess.run(command, check=True, user=self.owner, cwd=self.folder, stdout=nowhere, stderr=nowhere)

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}'"
        log = str(self.folder / "log")
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop")

    def restart_at_once(self) -> None:
        """Stop as a crash would, and start again."""
        self.stop("immediate")
        self.start()

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder)
