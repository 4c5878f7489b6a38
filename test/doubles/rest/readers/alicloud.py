"""Alibaba Cloud's own client on a double of its API: prints what it has read as JSON."""

import base64
import json
import sys
from datetime import datetime
from urllib.parse import urlsplit

from alibabacloud_ecs20140526 import models
from alibabacloud_ecs20140526.client import Client
from alibabacloud_tea_openapi.exceptions import ClientException
from alibabacloud_tea_openapi.utils_models import Config
from darabonba.runtime import RuntimeOptions

endpoint, key = sys.argv[1:]
key_id, key_secret = key.split(":")
# Neither is the region's own host used nor TLS: the double speaks HTTP.
config = Config(
    access_key_id=key_id,
    access_key_secret=key_secret,
    endpoint=urlsplit(endpoint).netloc,
    protocol="http",
)
actions = set()
unread = set()


class Reader(Client):
    """Notes the answers of which its models do not keep all."""

    def call_api(self, params, request, runtime):
        answer = super().call_api(params, request, runtime)
        model = getattr(models, f"{params.action}ResponseBody")
        actions.add(params.action)
        if model().from_map(answer["body"]).to_map() != answer["body"]:
            unread.add(params.action)
        return answer


client = Reader(config)
once = RuntimeOptions(autoretry=False)
region = "eu-central-1"


def refused(call):
    try:
        call()
    except ClientException as error:
        return [error.status_code, error.code]
    return None


def make(name, **more):
    request = models.RunInstancesRequest(
        region_id=region,
        instance_name=name,
        image_id="m-gw8iqj3z9vzpljm4v3ob",
        instance_type="ecs.g7.large",
        security_group_id="sg-gw8abc",
        v_switch_id="vsw-gw8abc",
        **more,
    )
    answer = client.run_instances_with_options(request, once).body
    return answer.instance_id_sets.instance_id_set


def described(**more):
    request = models.DescribeInstancesRequest(region_id=region, **more)
    return client.describe_instances_with_options(request, once).body


def delete(**more):
    request = models.DeleteInstanceRequest(**more)
    return client.delete_instance_with_options(request, once).body.request_id


def tag(name, value, Tag):
    return Tag(key=name, value=value)


mine = tag("role", "node", models.RunInstancesRequestTag)
first = {
    "client_token": "a-0",
    "tag": [mine],
    "internet_max_bandwidth_out": 5,
    "data_disk": [
        models.RunInstancesRequestDataDisk(
            size=20, disk_name=f"disk-{goes}", delete_with_instance=goes
        )
        for goes in (True, False)
    ],
    "user_data": base64.b64encode(b"#!/bin/sh\n").decode(),
}
ids = make("machine-a", **first)
for n in range(25):
    make(f"page-{n}")

instance = described(instance_ids=json.dumps(ids)).instances.instance[0]
page = described(max_results=10)
pages = [len(page.instances.instance)]
while page.next_token:
    page = described(max_results=10, next_token=page.next_token)
    pages.append(len(page.instances.instance))

retag = models.TagResourcesRequest(
    region_id=region,
    resource_type="instance",
    resource_id=ids,
    tag=[tag("more", "x", models.TagResourcesRequestTag)],
)
tagged = client.tag_resources_with_options(retag, once).body.request_id


def with_tag(name, value):
    asked = tag(name, value, models.DescribeInstancesRequestTag)
    return [one.instance_name for one in described(tag=[asked]).instances.instance]


output = client.get_instance_console_output_with_options(
    models.GetInstanceConsoleOutputRequest(region_id=region, instance_id=ids[0]), once
).body

read = {
    "ids": len(ids),
    "again": make("machine-a", **first) == ids,
    "other": refused(lambda: make("machine-b", **first)),
    "instance": {
        "id": instance.instance_id == ids[0],
        "name": instance.instance_name,
        "status": instance.status,
        "region": instance.region_id,
        "zone": instance.zone_id,
        "type": instance.instance_type,
        "image": instance.image_id,
        "charge": instance.instance_charge_type,
        "spot": instance.spot_strategy,
        "protection": instance.deletion_protection,
        "created": datetime.strptime(instance.creation_time, "%Y-%m-%dT%H:%MZ").year > 2000,
        "tags": [[one.tag_key, one.tag_value] for one in instance.tags.tag],
        "locks": instance.operation_locks.lock_reason,
        "switch": instance.vpc_attributes.v_switch_id,
        "private": instance.vpc_attributes.private_ip_address.ip_address,
        "public": instance.public_ip_address.ip_address,
        "eip": instance.eip_address.ip_address,
        "interfaces": instance.network_interfaces.network_interface,
    },
    "total": page.total_count,
    "size": page.page_size,
    "pages": pages,
    "retagged": [bool(tagged), with_tag("more", "x"), with_tag("role", "node")],
    "named": [one.instance_name for one in described(instance_name="PAGE-2*").instances.instance],
    "console": [output.instance_id == ids[0], base64.b64decode(output.console_output).decode()],
    "updated": datetime.strptime(output.last_update_time[:19], "%Y-%m-%dT%H:%M:%S").year > 2000,
    "input": refused(lambda: make("machine-c", spot_strategy="Never")),
    "missing": refused(lambda: delete(instance_id="i-none", force=True)),
    "running": refused(lambda: delete(instance_id=ids[0])),
    "deleted": bool(delete(instance_id=ids[0], force=True)),
}
read["gone"] = described(instance_ids=json.dumps(ids)).total_count
config.access_key_secret = "another"
client = Client(config)
read["actions"] = sorted(actions)
read["unread"] = sorted(unread)
read["signature"] = refused(described)
print(json.dumps(read))
