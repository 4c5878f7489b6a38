"""
Starts OpenStack's services on free ports, on a copy of the prepared state. Prints one line of JSON
with their URLs when they answer, and ends with them when its standard input is closed.
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


def open_sockets():
    sockets = {name: socket.create_server(("127.0.0.1", 0)) for name in PREFIXES}
    for one in sockets.values():
        one.set_inheritable(True)
    return sockets


def urls_of(sockets):
    return {
        name: f"http://127.0.0.1:{one.getsockname()[1]}/{PREFIXES[name]}"
        for name, one in sockets.items()
    }


def edit(folder, database, sql, rows):
    with sqlite3.connect(folder / "db" / f"{database}.sqlite") as connection:
        connection.executemany(sql, rows)


def move(folder, urls):
    """The state names places: its own folder, and the services' URLs."""
    services = [(url, f"%/{PREFIXES[name]}%") for name, url in urls.items()]
    edit(
        folder,
        "keystone",
        "update endpoint set url = ?1 || substr(url, instr(substr(url, 9), '/') + 8 + length(?2) - 2)"
        " where url like 'http://127.0.0.1:%' and url like 'http://127.0.0.1:_%' || ?2",
        services,
    )
    cells = [(f"sqlite:///{folder}/db/{name}.sqlite?timeout=60", name) for name in ("nova_cell0", "nova_cell1")]
    edit(
        folder,
        "nova_api",
        "update cell_mappings set database_connection = ?1"
        " where database_connection like '%/' || ?2 || '.sqlite%'",
        cells,
    )
    edit(
        folder,
        "glance",
        "update image_locations set value = 'file://' || ?1 || '/images/' || image_id",
        [(str(folder),)],
    )


def start(name, folder, one):
    environment = {
        **os.environ,
        "HOME": str(folder / "home"),
        "PYTHONPATH": f"{HERE}:{folder / 'plugins'}",
        "PYTHONWARNINGS": "ignore",
    }
    return subprocess.Popen(
        [sys.executable, str(HERE / "service.py"), name, str(folder), str(one.fileno())],
        env=environment,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=open(folder / "logs" / f"{name}.out", "w"),
        pass_fds=[one.fileno()],
        text=True,
    )


def await_ready(name, folder, child):
    for line in child.stdout:
        if line.strip() == "ready":
            return
    said = (folder / "logs" / f"{name}.out").read_text()[-2000:]
    raise SystemExit(f"{name} did not start: {said}")


def plug_in(folder):
    """Neutron finds a mechanism driver by the metadata of an installed package."""
    package = folder / "plugins" / "any_binding-0.dist-info"
    package.mkdir(parents=True, exist_ok=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: any_binding\nVersion: 0\n")
    (package / "entry_points.txt").write_text(
        "[neutron.ml2.mechanism_drivers]\nany_binding = any_binding:Driver\n"
    )


def launch(folder, names=tuple(PREFIXES)):
    """The children, and the URLs of all services."""
    for part in ("etc", "db", "logs", "home", "state", "images", "locks"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    plug_in(folder)
    sockets = open_sockets()
    urls = urls_of(sockets)
    write_settings(folder, urls)
    if (folder / "seeded").exists():
        move(folder, urls)
    children = {name: start(name, folder, sockets[name]) for name in names}
    for name, child in children.items():
        await_ready(name, folder, child)
    return children, urls


def main():
    template, folder = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    shutil.copytree(template, folder, dirs_exist_ok=True)
    children, urls = launch(folder)
    print(json.dumps(urls), flush=True)
    sys.stdin.buffer.read()
    for child in children.values():
        child.kill()


if __name__ == "__main__":
    main()
