"""DigitalOcean's own client on a double of its API: prints what it has read as JSON."""

import json
import sys

from azure.core.exceptions import HttpResponseError
from pydo import Client

endpoint, token = sys.argv[1:]
client = Client(token=token, endpoint=endpoint, retry_total=0)
# The double speaks HTTP.
plain = {"enforce_https": False}
droplets = client.droplets


def refused(call):
    try:
        answer = call()
    except HttpResponseError as error:
        return error.status_code
    return answer.get("id")


def body(name, **more):
    return {"name": name, "region": "fra1", "size": "s-2vcpu-4gb", "image": "ubuntu-24-04-x64", **more}


made = droplets.create(body=body("a", tags=["role:node"]), **plain)
for n in range(25):
    droplets.create(body=body(f"page-{n}"), **plain)
droplet = droplets.get(droplet_id=made["droplet"]["id"], **plain)["droplet"]
first = droplets.list(**plain)
needed = (
    "id name memory vcpus disk locked status created_at features backup_ids next_backup_window"
    " snapshot_ids image volume_ids size size_slug networks region tags"
).split()

read = {
    "rel": made["links"]["actions"][0]["rel"],
    "lacking": [name for name in needed if name not in droplet],
    "droplet": {
        "name": droplet["name"],
        "status": droplet["status"],
        "tags": droplet["tags"],
        "size": droplet["size"]["slug"],
        "region": droplet["region"]["slug"],
        "networks": [one["type"] for one in droplet["networks"]["v4"]],
    },
    "page": len(first["droplets"]),
    "total": first["meta"]["total"],
    "next": first["links"]["pages"]["next"],
    "tagged": [one["name"] for one in droplets.list(tag_name="role:node", **plain)["droplets"]],
    "named": [one["name"] for one in droplets.list(name="A", **plain)["droplets"]],
    "missing": refused(lambda: droplets.get(droplet_id=1, **plain)),
    "input": refused(lambda: droplets.create(body=body("b", size="huge"), **plain)),
    "associated": sorted(
        droplets.list_associated_resources(droplet_id=droplet["id"], **plain).keys()
    ),
}
droplets.destroy_with_associated_resources_selective(
    droplet_id=droplet["id"], body={"volumes": []}, **plain
)
read["gone"] = refused(lambda: droplets.get(droplet_id=droplet["id"], **plain))
droplets.destroy(droplet_id=droplets.list(name="page-0", **plain)["droplets"][0]["id"], **plain)
read["left"] = droplets.list(**plain)["meta"]["total"]
print(json.dumps(read))
