"""Hetzner's own client on a double of its API: prints what it has read as JSON."""

import json
import sys

from hcloud import APIException, Client
from hcloud.images import Image
from hcloud.locations import Location
from hcloud.server_types import ServerType

endpoint, token = sys.argv[1:]
client = Client(token=token, api_endpoint=endpoint, poll_interval=0.01)


def refused(call):
    try:
        call()
    except APIException as error:
        return error.code
    return None


def make(name, **more):
    return client.servers.create(
        name=name,
        server_type=ServerType(name=more.pop("server_type", "cx32")),
        image=Image(name="ubuntu-24.04"),
        location=Location(name=more.pop("location", "hel1")),
        **more,
    )


made = make(
    "a",
    labels={"role": "node"},
    ssh_keys=[client.ssh_keys.get_by_name("operators")],
    networks=[client.networks.get_by_name("shoot")],
)
made.action.wait_until_finished()
server = client.servers.get_by_name("a")
for n in range(60):
    make(f"page-{n}").action.wait_until_finished()

floating = client.floating_ips.create(
    type="ipv4", name="f", home_location=Location(name="hel1"), labels={"pool": "p"}
).floating_ip
floating.assign(server).wait_until_finished()
server.reload()

read = {
    "command": made.action.command,
    "password": made.root_password,
    "server": {
        "name": server.name,
        "status": server.status,
        "labels": server.labels,
        "location": server.location.name,
        "type": server.server_type.name,
        "image": server.image.name,
        "locked": server.locked,
        "created": server.created.year > 2000,
        "ipv4": server.public_net.ipv4.ip,
        "ipv6": server.public_net.ipv6.ip,
        "network": server.private_net[0].network.id,
        "floating": [one.id == floating.id for one in server.public_net.floating_ips],
        "protection": server.protection["delete"],
    },
    "all": len(client.servers.get_all()),
    "selected": [one.name for one in client.servers.get_all(label_selector="role==node,!x")],
    "floating": client.floating_ips.get_by_name("f").server.id == server.id,
    "types": [one.name for one in client.server_types.get_all()],
    "taken": refused(lambda: make("a")),
    "input": refused(lambda: make("b", location="nowhere")),
    "missing": refused(lambda: client.servers.get_by_id(1)),
    "updated": server.update(labels={"role": "x"}).labels,
}
server.delete().wait_until_finished()
floating.delete()
read["gone"] = [client.servers.get_by_name("a"), client.floating_ips.get_by_name("f")]
print(json.dumps(read))
