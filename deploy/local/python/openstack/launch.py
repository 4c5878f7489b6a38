"""
Starts OpenStack's services on free ports, on a copy of the prepared state. Prints one line of JSON
with their URLs, and what the state has, when they answer; ends with them when its standard input
is closed.
"""

import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys

from settings import PREFIXES, write_settings

HERE = pathlib.Path(__file__).parent


class Services:
    """On sockets that are open before the services are there, so that nobody takes their ports."""

    def __init__(self, folder):
        self.folder = folder
        for part in ("etc", "db", "logs", "home", "state", "images", "locks"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        plug_in(folder)
        self.sockets = {name: socket.create_server(("127.0.0.1", 0)) for name in PREFIXES}
        self.urls = {
            name: f"http://127.0.0.1:{one.getsockname()[1]}/{PREFIXES[name]}"
            for name, one in self.sockets.items()
        }
        self.children = {}
        write_settings(folder, self.urls)

    def start(self, names):
        started = {name: self.spawn(name) for name in names}
        self.children.update(started)
        for name, child in started.items():
            self.await_ready(name, child)

    def spawn(self, name):
        descriptor = self.sockets[name].fileno()
        environment = {
            **os.environ,
            "HOME": str(self.folder / "home"),
            "PYTHONPATH": f"{HERE}:{self.folder / 'plugins'}",
            "PYTHONWARNINGS": "ignore",
        }
        return subprocess.Popen(
            [sys.executable, str(HERE / "service.py"), name, str(self.folder), str(descriptor)],
            env=environment,
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=open(self.folder / "logs" / f"{name}.out", "w"),
            pass_fds=[descriptor],
            # What interrupts a terminal is for the launcher.
            start_new_session=True,
            text=True,
        )

    def await_ready(self, name, child):
        for line in child.stdout:
            if line.strip() == "ready":
                return
        said = (self.folder / "logs" / f"{name}.out").read_text()[-2000:]
        self.stop()
        raise SystemExit(f"{name} did not start: {said}")

    def stop(self):
        for child in self.children.values():
            child.kill()
            child.wait()


def plug_in(folder):
    """Neutron finds a mechanism driver by the metadata of an installed package."""
    package = folder / "plugins" / "any_binding-0.dist-info"
    package.mkdir(parents=True, exist_ok=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: any_binding\nVersion: 0\n")
    (package / "entry_points.txt").write_text(
        "[neutron.ml2.mechanism_drivers]\nany_binding = any_binding:Driver\n"
    )


def edit(folder, database, sql, rows):
    with sqlite3.connect(folder / "db" / f"{database}.sqlite") as connection:
        connection.executemany(sql, rows)


def move(folder, urls):
    """The state names places: the services' URLs, and its own folder."""
    for name, url in urls.items():
        path = f"/{PREFIXES[name]}"
        edit(
            folder,
            "keystone",
            "update endpoint set url = ? || substr(url, instr(url, ?) + length(?))"
            " where instr(url, ?) > 0",
            [(url, path, path, path)],
        )
    edit(
        folder,
        "nova_api",
        "update cell_mappings set database_connection = ? where instr(database_connection, ?) > 0",
        [
            (f"sqlite:///{folder}/db/{name}.sqlite?timeout=60", f"/{name}.")
            for name in ("nova_cell0", "nova_cell1")
        ],
    )
    edit(
        folder,
        "glance",
        "update image_locations set value = 'file://' || ? || '/images/' || image_id",
        [(str(folder),)],
    )


def main():
    template, folder = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    shutil.copytree(template, folder, dirs_exist_ok=True)
    services = Services(folder)
    move(folder, services.urls)
    services.start(PREFIXES)
    known = json.loads((folder / "seeded.json").read_text())
    print(json.dumps({"urls": services.urls, "known": known}), flush=True)
    sys.stdin.buffer.read()
    services.stop()


if __name__ == "__main__":
    main()
