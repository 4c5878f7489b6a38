"""Settings of OpenStack's services: one SQLite file each, no message bus, one administrator."""

import configparser
import pathlib
import sys

REGION = "RegionOne"

# By the first part of their paths, as DevStack has them.
PREFIXES = {
    "keystone": "identity",
    "placement": "placement",
    "glance": "image",
    "neutron": "networking",
    "nova": "compute",
    "cinder": "volume",
}


def _credentials(urls):
    return {
        "auth_type": "password",
        "auth_url": f"{urls['keystone']}/v3",
        "username": "admin",
        "password": "admin",
        "project_name": "admin",
        "user_domain_id": "default",
        "project_domain_id": "default",
        "region_name": REGION,
    }


def _database(folder, name):
    # The time limit: SQLite has one writer, and others wait for it.
    return {
        "connection": f"sqlite:///{folder}/db/{name}.sqlite?timeout=60",
        "sqlite_synchronous": "false",
    }


def settings_of(folder, urls):
    """By service: sections with their options."""
    packaged = pathlib.Path(sys.prefix) / "etc"
    credentials = _credentials(urls)
    tokens = {**credentials, "www_authenticate_uri": credentials["auth_url"]}
    locks = {"lock_path": f"{folder}/locks"}
    user = {**credentials, "send_service_user_token": "true"}
    return {
        "keystone": {
            "DEFAULT": {"log_file": f"{folder}/logs/keystone.log"},
            "database": _database(folder, "keystone"),
            "cache": {"enabled": "true", "backend": "oslo_cache.dict"},
            "identity": {"password_hash_rounds": "4"},
            "fernet_tokens": {"key_repository": f"{folder}/keys/fernet"},
            "fernet_receipts": {"key_repository": f"{folder}/keys/fernet"},
            "credential": {"key_repository": f"{folder}/keys/credential"},
        },
        "placement": {
            "DEFAULT": {"log_file": f"{folder}/logs/placement.log"},
            "api": {"auth_strategy": "keystone"},
            "keystone_authtoken": tokens,
            "placement_database": {**_database(folder, "placement"), "sync_on_startup": "true"},
        },
        "glance": {
            "DEFAULT": {"log_file": f"{folder}/logs/glance.log", "enabled_backends": "fs:file"},
            "database": _database(folder, "glance"),
            "keystone_authtoken": tokens,
            "paste_deploy": {
                "flavor": "keystone",
                "config_file": f"{packaged}/glance/glance-api-paste.ini",
            },
            "glance_store": {"default_backend": "fs"},
            "fs": {"filesystem_store_datadir": f"{folder}/images"},
            "os_glance_staging_store": {"filesystem_store_datadir": f"{folder}/images/staging"},
            "os_glance_tasks_store": {"filesystem_store_datadir": f"{folder}/images/tasks"},
        },
        "neutron": {
            "DEFAULT": {
                "log_file": f"{folder}/logs/neutron.log",
                "transport_url": "fake://",
                "core_plugin": "ml2",
                "service_plugins": "",
                "auth_strategy": "keystone",
                "notify_nova_on_port_status_changes": "false",
                "notify_nova_on_port_data_changes": "false",
                "api_paste_config": f"{packaged}/neutron/api-paste.ini",
                "state_path": f"{folder}/state",
                "api_extensions_path": "",
            },
            "database": _database(folder, "neutron"),
            "oslo_concurrency": locks,
            "keystone_authtoken": tokens,
            "quotas": {"quota_port": "1000"},
            "ml2": {
                "type_drivers": "local,flat",
                "tenant_network_types": "local",
                "mechanism_drivers": "any_binding",
                "extension_drivers": "port_security",
            },
        },
        "nova": {
            "DEFAULT": {
                "log_file": f"{folder}/logs/nova.log",
                "transport_url": "fake://",
                "compute_driver": "fake.FakeDriver",
                "host": "host",
                "state_path": f"{folder}/state",
                "my_ip": "127.0.0.1",
                "enabled_apis": "osapi_compute",
                # No service reports that it lives.
                "service_down_time": "1000000000",
                "vif_plugging_timeout": "0",
                "vif_plugging_is_fatal": "false",
            },
            "api": {"auth_strategy": "keystone"},
            "api_database": _database(folder, "nova_api"),
            "database": _database(folder, "nova_cell1"),
            "oslo_concurrency": locks,
            "wsgi": {"api_paste_config": f"{packaged}/nova/api-paste.ini"},
            "keystone_authtoken": tokens,
            "service_user": user,
            "placement": credentials,
            "neutron": credentials,
            "glance": {**credentials, "api_servers": urls["glance"]},
            "cinder": {**credentials, "catalog_info": "volumev3:cinderv3:publicURL"},
            "conductor": {"workers": "1"},
            "scheduler": {"workers": "1"},
            "quota": {"instances": "200", "cores": "200", "ram": "2000000"},
            "vnc": {"enabled": "false"},
        },
        "cinder": {
            "DEFAULT": {
                "log_file": f"{folder}/logs/cinder.log",
                "transport_url": "fake://",
                "auth_strategy": "keystone",
                "host": "host",
                "state_path": f"{folder}/state",
                "my_ip": "127.0.0.1",
                "enabled_backends": "disks",
                "default_volume_type": "standard",
                "service_down_time": "1000000000",
                "api_paste_config": f"{packaged}/cinder/api-paste.ini",
                "glance_api_servers": urls["glance"],
                "quota_volumes": "200",
                "quota_gigabytes": "10000",
            },
            "disks": {
                "volume_driver": "no_disks.Driver",
                "volume_backend_name": "disks",
            },
            "database": _database(folder, "cinder"),
            "oslo_concurrency": locks,
            "keystone_authtoken": tokens,
            "service_user": user,
        },
    }


def settings_file(folder, service):
    # Glance looks for no other name.
    name = "glance-api" if service == "glance" else service
    return folder / "etc" / f"{name}.conf"


def write_settings(folder, urls):
    (folder / "etc").mkdir(exist_ok=True)
    for service, sections in settings_of(folder, urls).items():
        parser = configparser.RawConfigParser()
        parser.read_dict(sections)
        with open(settings_file(folder, service), "w") as file:
            parser.write(file)
