"""
Makes the state that each start copies: databases, keys, and what a class needs to find, in a
project of its own with a user who is no administrator. Takes the folder to make.
"""

import getpass
import json
import pathlib
import sqlite3
import subprocess
import sys

import launch
from settings import PREFIXES, REGION, settings_file, write_settings

HERE = pathlib.Path(__file__).parent
URLS = {name: f"http://127.0.0.1:1/{prefix}" for name, prefix in PREFIXES.items()}


def commands(folder):
    """Arguments of each service's `manage`, in their order."""
    owner = ["--keystone-user", getpass.getuser(), "--keystone-group", getpass.getuser()]
    identity = [
        part
        for kind in ("public", "internal", "admin")
        for part in (f"--bootstrap-{kind}-url", f"{URLS['keystone']}/v3")
    ]
    cell0 = f"sqlite:///{folder}/db/nova_cell0.sqlite?timeout=60"
    return {
        "keystone": [
            ["db_sync"],
            ["fernet_setup", *owner],
            ["credential_setup", *owner],
            ["bootstrap", "--bootstrap-password", "admin", "--bootstrap-region-id", REGION, *identity],
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
    "placement": ("placement", ""),
    "glance": ("image", ""),
    "neutron": ("network", ""),
    "nova": ("compute", "/v2.1"),
    "cinder": ("volumev3", "/v3/$(project_id)s"),
}


def seed_catalog(cloud, urls):
    for name, (kind, path) in SERVICES.items():
        service = cloud.identity.create_service(name=f"{name}v3" if name == "cinder" else name, type=kind)
        for interface in ("public", "internal", "admin"):
            cloud.identity.create_endpoint(
                service_id=service.id, interface=interface, url=urls[name] + path, region_id=REGION
            )


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


def seed_resources(admin, own):
    image = admin.image.create_image(
        name="linux",
        filename=__file__,
        disk_format="raw",
        container_format="bare",
        visibility="public",
        wait=True,
    )
    for name, cpus, disk in (("small", 1, 1), ("more-than-quota", 10_000, 1), ("more-than-hosts", 1, 10_000_000)):
        admin.compute.create_flavor(name=name, ram=64, vcpus=cpus, disk=disk)
    admin.block_storage.create_type(name="standard")
    admin.block_storage.create_type(name="fast")
    shared = admin.network.create_network(name="shared", is_shared=True)
    admin.network.create_subnet(network_id=shared.id, ip_version=4, cidr="10.8.0.0/16", name="shared")
    workers = own.network.create_network(name="workers")
    subnets = [
        own.network.create_subnet(network_id=workers.id, ip_version=4, cidr="10.9.0.0/16", name="v4"),
        own.network.create_subnet(network_id=workers.id, ip_version=6, cidr="fd00:9::/64", name="v6"),
    ]
    second = own.network.create_network(name="second")
    own.network.create_subnet(network_id=second.id, ip_version=4, cidr="10.10.0.0/16", name="second")
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
        "subnetIDs": [subnet.id for subnet in subnets],
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
    try:
        seed(folder, services)
    finally:
        services.stop()


if __name__ == "__main__":
    main()
