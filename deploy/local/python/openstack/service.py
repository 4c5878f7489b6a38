"""One of OpenStack's services, on a socket that the launcher has opened."""

import os
import pathlib
import socket
import sys
import threading
import traceback
import uuid

from settings import PREFIXES


def keystone(etc):
    os.environ["OS_KEYSTONE_CONFIG_FILES"] = str(etc / "keystone.conf")
    os.environ["OS_KEYSTONE_CONFIG_DIR"] = str(etc)
    sys.argv = ["keystone"]
    from keystone.wsgi.api import application

    return application


def placement(etc):
    os.environ["OS_PLACEMENT_CONFIG_DIR"] = str(etc)
    from placement.wsgi.api import application

    return application


def glance(etc):
    os.environ["OS_GLANCE_CONFIG_DIR"] = str(etc)
    sys.argv = ["glance-wsgi-api"]
    from glance.wsgi.api import application

    return application


def neutron(etc):
    os.environ["OS_NEUTRON_CONFIG_DIR"] = str(etc)
    os.environ["OS_NEUTRON_CONFIG_FILES"] = "neutron.conf"
    sys.argv = ["neutron-api", "--config-file", str(etc / "neutron.conf")]
    # Lists of ports read tables of plugins that are not there.
    import neutron.db.migration.models.head  # noqa: F401
    import neutron.db.models.port_forwarding  # noqa: F401
    import sqlalchemy.orm

    from neutron.wsgi.api import application

    sqlalchemy.orm.configure_mappers()

    return application


class StableIds:
    """In place of ids that are drawn anew in each process."""

    def __getattr__(self, name):
        return str(uuid.uuid5(uuid.NAMESPACE_DNS, name))


def nova(etc):
    """With conductor, scheduler and compute: their bus lives in the process."""
    import nova.monkey_patch  # noqa: F401
    import nova.compute.manager

    # It refuses the node of an earlier start, whose place it does not know.
    manager = nova.compute.manager.ComputeManager
    manager._ensure_existing_node_identity = lambda self, *args, **named: None
    from nova import config, objects, service
    from nova.virt import fake

    fake.uuids = StableIds()
    from nova.compute import rpcapi as compute
    from nova.conductor import rpcapi as conductor

    config.parse_args(["nova", "--config-file", str(etc / "nova.conf")])
    from nova import conf
    from oslo_log import log

    log.setup(conf.CONF, "nova")
    objects.register_all()
    topics = {
        "nova-conductor": conductor.RPC_TOPIC,
        "nova-scheduler": "scheduler",
        "nova-compute": compute.RPC_TOPIC,
    }
    for binary, topic in topics.items():
        service.Service.create(binary=binary, topic=topic).start()
    from nova.api import wsgi

    return wsgi.Loader().load_app("osapi_compute")


def cinder(etc):
    """With scheduler and volume service, as Nova above."""
    from cinder import coordination, objects, rpc, service
    from oslo_config import cfg
    from oslo_log import log
    import cinder.common.config  # noqa: F401

    conf = cfg.CONF
    log.register_options(conf)
    conf(["--config-file", str(etc / "cinder.conf")], project="cinder")
    log.setup(conf, "cinder")
    objects.register_all()
    rpc.init(conf)
    coordination.COORDINATOR.start()
    service.Service.create(binary="cinder-scheduler").start()
    host = f"{conf.host}@disks"
    service.Service.create(
        binary="cinder-volume",
        host=host,
        service_name="disks",
        coordination=False,
        cluster=None,
    ).start()
    from oslo_service import wsgi

    return wsgi.Loader(conf).load_app("osapi_volume")


def retry_when_locked():
    """A reader of SQLite that becomes a writer is refused at once where another has written since."""
    import sqlalchemy.exc
    from oslo_db import exception
    from oslo_db.sqlalchemy import exc_filters

    @exc_filters.filters("sqlite", sqlalchemy.exc.OperationalError, r".*database is locked.*")
    def locked(error, match, engine_name, is_disconnect):
        # Services try again after a deadlock.
        raise exception.DBDeadlock(error)


def end_with_parent():
    # Not by `sys.stdin`, whose lock Python would miss at its end.
    while os.read(0, 1024):
        pass
    os._exit(0)


def main():
    name, folder, descriptor = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    threading.Thread(target=end_with_parent, daemon=True).start()
    os.environ["OS_NOVA_DISABLE_EVENTLET_PATCHING"] = "true"
    retry_when_locked()
    application = globals()[name](folder / "etc")
    import waitress

    server = waitress.create_server(
        application,
        sockets=[socket.socket(fileno=descriptor)],
        threads=8,
        url_prefix=f"/{PREFIXES[name]}",
    )
    print("ready", flush=True)
    server.run()


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        # Some services put a hook for exceptions into their log.
        traceback.print_exc()
        os._exit(1)
