"""
Makes the state that each start copies: databases, keys, and what a class needs to find, in a
project of its own with a user who is no administrator. Takes the folder to make.
"""

import getpass
import grp
import json
import os
import pathlib
import sqlite3
import subprocess
import sys

import launch
from settings import PREFIXES, REGION, settings_file, write_settings

URLS = {name: f"http://127.0.0.1:1/{prefix}" for name, prefix in PREFIXES.items()}


def commands(folder):
    """Arguments of each service's `manage`, in their order."""
    group = grp.getgrgid(os.getgid()).gr_name
    owner = ["--keystone-user", getpass.getuser(), "--keystone-group", group]
    identity = ["--bootstrap-region-id", REGION]
    for kind in ("public", "internal", "admin"):
        identity += [f"--bootstrap-{kind}-url", f"{URLS['keystone']}/v3"]
    cell0 = f"sqlite:///{folder}/db/nova_cell0.sqlite?timeout=60"
    return {
        "keystone": [
            ["db_sync"],
            ["fernet_setup", *owner],
            ["credential_setup", *owner],
            ["bootstrap", "--bootstrap-password", "admin", *identity],
        ],
        "placement": [["db", "sync"]],
        "nova": [
            ["api_db", "sync"],
            ["cell_v2", "map_cell0", "--database_connection", cell0],
            ["cell_v2", "create_cell", "--name=cell1"],
            ["db", "sync"],
        ],
        "glance": [["db_sync"]],
        "cinder": [["db", "sync"]],
    }


def run(code, *arguments, folder):
    # A script of a virtual environment names the folder in which that was made.
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        check=True,
        cwd=folder,
        stdout=open(folder / "logs" / "prepare.out", "a"),
        stderr=subprocess.STDOUT,
    )


MANAGE = "import importlib, sys; sys.exit(importlib.import_module(sys.argv.pop(1)).main())"

# Neutron's migrations do not know SQLite; its own tests make the tables from the models.
NEUTRON = """
import sys, sqlalchemy
from neutron.db.migration.models import head
head.get_metadata().create_all(sqlalchemy.create_engine(sys.argv[1]))
"""


def make_databases(folder):
    write_settings(folder, URLS)
    for service, calls in commands(folder).items():
        for call in calls:
            settings = ["--config-file", str(settings_file(folder, service))]
            run(MANAGE, f"{service}.cmd.manage", *settings, *call, folder=folder)
    run(NEUTRON, f"sqlite:///{folder}/db/neutron.sqlite", folder=folder)
    for database in (folder / "db").iterdir():
        with sqlite3.connect(database) as connection:
            # Otherwise a writer locks out all readers.
            connection.execute("pragma journal_mode=wal")


def connect(urls, user="admin", project="admin"):
    import openstack

    return openstack.connect(
        auth_url=f"{urls['keystone']}/v3",
        username=user,
        password=user,
        project_name=project,
        user_domain_id="default",
        project_domain_id="default",
        region_name=REGION,
    )


SERVICES = {
    "placement": ("placement", "placement", ""),
    "glance": ("glance", "image", ""),
    "neutron": ("neutron", "network", ""),
    "nova": ("nova", "compute", "/v2.1"),
    "cinder": ("cinderv3", "volumev3", "/v3/$(project_id)s"),
}


def seed_catalog(cloud, urls):
    for service, (name, kind, path) in SERVICES.items():
        made = cloud.identity.create_service(name=name, type=kind)
        place = {"service_id": made.id, "url": urls[service] + path, "region_id": REGION}
        for interface in ("public", "internal", "admin"):
            cloud.identity.create_endpoint(interface=interface, **place)


def seed_accounts(cloud):
    """The services' user needs a role of its own, or they refuse each other's calls."""
    roles = {role.name: role for role in cloud.identity.roles()}
    admin = cloud.identity.find_user("admin")
    project = cloud.identity.find_project("admin")
    cloud.identity.assign_project_role_to_user(project, admin, roles["service"])
    machines = cloud.identity.create_project(name="machines", domain_id="default")
    user = cloud.identity.create_user(
        name="machines", password="machines", domain_id="default", default_project_id=machines.id
    )
    cloud.identity.assign_project_role_to_user(machines, user, roles["member"])
    return machines


FLAVORS = {
    "small": {"vcpus": 1, "disk": 1},
    "more-than-quota": {"vcpus": 10_000, "disk": 1},
    "more-than-hosts": {"vcpus": 1, "disk": 10_000_000},
}


def subnet(cloud, network, version, cidr):
    return cloud.network.create_subnet(network_id=network.id, ip_version=version, cidr=cidr)


def seed_resources(admin, own):
    image = admin.image.create_image(
        name="linux",
        filename=__file__,
        disk_format="raw",
        container_format="bare",
        visibility="public",
        wait=True,
    )
    for name, size in FLAVORS.items():
        admin.compute.create_flavor(name=name, ram=64, **size)
    admin.block_storage.create_type(name="standard")
    admin.block_storage.create_type(name="fast")
    shared = admin.network.create_network(name="shared", is_shared=True)
    subnet(admin, shared, 4, "10.8.0.0/16")
    workers = own.network.create_network(name="workers")
    subnets = [subnet(own, workers, 4, "10.9.0.0/16"), subnet(own, workers, 6, "fd00:9::/64")]
    second = own.network.create_network(name="second")
    subnet(own, second, 4, "10.10.0.0/16")
    for name in ("workers", "more"):
        own.network.create_security_group(name=name)
    own.compute.create_keypair(name="ssh")
    group = own.compute.create_server_group(name="apart", policies=["soft-anti-affinity"])
    user = own.session.auth.get_access(own.session).user_id
    credential = own.identity.create_application_credential(
        user, name="machines", secret="application-secret"
    )
    return {
        "imageID": image.id,
        "networkID": workers.id,
        "subnetIDs": [one.id for one in subnets],
        "secondNetworkID": second.id,
        "sharedNetworkID": shared.id,
        "serverGroupID": group.id,
        "applicationCredentialID": credential.id,
    }


def seed(folder, services):
    """Nova and Cinder ask for the places of the others as they start."""
    services.start(["keystone", "placement", "glance", "neutron"])
    admin = connect(services.urls)
    seed_catalog(admin, services.urls)
    project = seed_accounts(admin)
    services.start(["nova", "cinder"])
    settings = ["--config-file", str(settings_file(folder, "nova"))]
    run(MANAGE, "nova.cmd.manage", *settings, "cell_v2", "discover_hosts", folder=folder)
    own = connect(services.urls, "machines", "machines")
    known = seed_resources(connect(services.urls), own)
    known["projectID"] = project.id
    (folder / "seeded.json").write_text(json.dumps(known))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    for part in ("etc", "db", "logs", "keys", "images/staging", "images/tasks"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    make_databases(folder)
    services = launch.Services(folder)
    launch.move(folder, services.urls)
    try:
        seed(folder, services)
    finally:
        services.stop()


if __name__ == "__main__":
    main()
