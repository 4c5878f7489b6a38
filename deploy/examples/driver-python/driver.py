"""A driver in Python: serves the activities of docs/writing-a-driver.md for instances of the virtual cloud."""

import asyncio
import hashlib
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from temporalio import activity
from temporalio.client import Client
from temporalio.worker import Worker

from cluster import BYTES, Cluster
from payload_codec import data_converter
from virtual_cloud import Failure, Json, VirtualCloud

PROVIDER = "python-example"
SIZES = ("small", "medium", "large")
USER_DATA = "millwright.dev/user-data"
# The virtual cloud lists at once what it made; this covers a request that is still on its way.
SETTLE_SECONDS = 1
# Of each queue, at the same time.
CALLS_AT_ONCE = 20

cluster = Cluster()
cloud = VirtualCloud(os.environ.get("MILLWRIGHT_VIRTUAL_CLOUD", "http://127.0.0.1:7080"))


ACTIVITIES: list[Callable[[Json], Awaitable[Json]]] = []


def serve(name: str) -> Callable[[Callable[[Json], Json]], None]:
    """Makes an activity of it: a heartbeat each second, and an answer also when it fails or is cancelled."""

    def register(work: Callable[[Json], Json]) -> None:
        async def run(request: Json) -> Json:
            heartbeats = asyncio.create_task(beat())
            try:
                return await asyncio.to_thread(work, request)
            except Failure as failure:
                return failure.answer
            except asyncio.CancelledError:
                details = activity.cancellation_details()
                if details is None or not details.cancel_requested:
                    raise
                # The call goes on in its thread: the next one finds what it made.
                return Failure("Canceled", "cancelled", settled=False, wasCancelled=True).answer
            finally:
                heartbeats.cancel()

        ACTIVITIES.append(activity.defn(name=name)(run))

    return register


async def beat() -> None:
    while True:
        activity.heartbeat()
        await asyncio.sleep(1)


@serve("createInstance")
def create_instance(request: Json) -> Json:
    machine = request["machine"]
    cluster.require_active_watcher(machine["namespace"])
    # The search goes before the checks: an instance that exists is found whatever became of its class.
    existing = find(request)
    if existing is not None:
        return created(existing, is_found=True)
    if "providerID" in request:
        raise Failure("NotFound", f"{request['providerID']} does not exist", settled=True)
    machine_class, secret = cluster.read_class(machine["namespace"], request["className"])
    if faults := faults_of(machine_class):
        raise Failure("InvalidArgument", "; ".join(faults), settled=True)
    spec = machine_class.get("providerSpec") or {}
    template = secret.get("userData", "")
    user_data = cluster.user_data(template, machine["name"], request.get("bootstrapTokenId"))
    # Depends on nothing but the request: the cloud refuses a token that comes back with another body.
    body = {
        "name": machine["name"],
        "token": request["token"],
        "zone": spec.get("zone", "a"),
        "size": spec.get("size", "small"),
        "tags": tags_of(request, machine["namespace"]),
        "userDataDigest": hashlib.sha256(user_data.encode(errors=BYTES)).hexdigest(),
        "labels": request.get("nodeTemplate", {}).get("labels", {}),
        "taints": request.get("nodeTemplate", {}).get("taints", []),
    }
    answer = cloud.create(body)
    if answer["instance"]["state"] == "deleted":
        raise Failure("Aborted", "the instance of this attempt was deleted", settled=True)
    return created(answer["instance"], is_found=answer["known"])


@serve("deleteInstance")
def delete_instance(request: Json) -> Json:
    cluster.require_active_watcher(request["machine"]["namespace"])
    cluster.require_deletable(request["machine"], request["token"], request.get("providerID"))
    return deleted(any([cloud.delete(one["id"]) for one in candidates(request)]))


@serve("describeInstance")
def describe_instance(request: Json) -> Json:
    instance = find(request)
    if instance is None:
        return {"outcome": "missing", "settleSeconds": SETTLE_SECONDS}
    return {"outcome": "found", "instance": ids_of(instance)}


@serve("validateClass")
def validate_class(request: Json) -> Json:
    machine_class, _ = cluster.read_class(request["namespace"], request["className"])
    return {"outcome": "validated", "faults": faults_of(machine_class)}


@serve("listInstances")
def list_instances(request: Json) -> Json:
    # A real cloud is asked with the credentials of the class; the virtual one has none.
    cluster.read_class(request["namespace"], request["className"])
    found = cloud.list(tags_of(request, request["namespace"]))
    listed = [{"providerID": one["providerID"], "machineName": one["name"], "token": one["token"]} for one in found]
    return {"outcome": "listed", "instances": sorted(listed, key=lambda one: one["providerID"])}


@serve("deleteListed")
def delete_listed(request: Json) -> Json:
    cluster.require_active_watcher(request["namespace"])
    if cluster.is_claimed(request["providerID"], {"uid": None, "namespace": request["namespace"]}):
        raise Failure("FailedPrecondition", "a Machine has taken it since it was listed", settled=True)
    instance = cloud.describe(id_in(request["providerID"]))
    ours = tags_of(request, request["namespace"])
    is_ours = instance is not None and instance["tags"].items() >= ours.items()
    return deleted(is_ours and cloud.delete(id_in(request["providerID"])))


@serve("volumeIds")
def volume_ids(request: Json) -> Json:
    return {"volumeIds": []}


def find(request: Json) -> Json | None:
    if "providerID" in request:
        return cloud.describe(id_in(request["providerID"]))
    found = candidates(request)
    found = [one for one in found if one["token"] == request["token"]] or found
    if len(found) < 2:
        return found[0] if found else None
    ids = ", ".join(sorted(one["id"] for one in found))
    raise Failure("OutOfRange", f"several instances of one name: {ids}", settled=False)


def candidates(request: Json) -> list[Json]:
    """All of this Machine, whichever way they are found, but none that another Machine has."""
    machine = request["machine"]
    found = cloud.list(tags_of(request, machine["namespace"]), name=machine["name"])

    def is_own(one: Json) -> bool:
        return one["token"] == request["token"] or not cluster.is_claimed(one["providerID"], machine)

    own = [one for one in found if is_own(one)]
    wanted = request.get("providerID")
    if wanted is None or any(one["providerID"] == wanted for one in found):
        return own
    by_id = cloud.describe(id_in(wanted))
    if by_id is None or not is_own(by_id):
        return own
    require_made_for(machine, by_id)
    return [*own, by_id]


def require_made_for(machine: Json, instance: Json) -> None:
    """A Machine can name any instance of the account. The cluster may have been another one, as before a move."""
    tags = {"millwright.dev/namespace": machine["namespace"], "millwright.dev/provider": PROVIDER}
    if instance["name"] == machine["name"] and instance["tags"].items() >= tags.items():
        return
    message = f"{instance['providerID']} has no tags for Machine {machine['name']}: it is not deleted"
    raise Failure("FailedPrecondition", message, settled=False)


def tags_of(request: Json, namespace: str) -> dict[str, str]:
    tags = {"cluster": request["cluster"], "namespace": namespace, "provider": PROVIDER}
    return {f"millwright.dev/{name}": value for name, value in tags.items()}


def id_in(provider_id: str) -> str:
    scheme, _, path = provider_id.partition(":///")
    if scheme == "local" and path.count("/") == 1:
        return path.split("/")[1]
    message = f'providerID: "{provider_id}" is not of the form local:///ZONE/ID'
    raise Failure("InvalidArgument", message, settled=False)


def faults_of(machine_class: Json) -> list[str]:
    spec = machine_class.get("providerSpec") or {}
    faults = []
    # What Millwright makes user data of is a library of its own drivers, and no part of the contract.
    if USER_DATA in (machine_class["metadata"].get("annotations") or {}):
        faults.append(f'{USER_DATA}: this driver takes user data from the key "userData" of the Secret: remove it')
    if spec.get("size", "small") not in SIZES:
        faults.append(f"providerSpec.size: {spec['size']!r} is not one of {', '.join(SIZES)}")
    if not isinstance(spec.get("zone", "a"), str):
        faults.append(f"providerSpec.zone: {spec['zone']!r} is not a string: put it in quotes")
    return faults


def ids_of(instance: Json) -> Json:
    return {"providerID": instance["providerID"], "nodeName": instance["name"]}


def created(instance: Json, *, is_found: bool) -> Json:
    return {"outcome": "created", "instance": {**ids_of(instance), "isFound": is_found}}


def deleted(is_found: bool) -> Json:
    return {"outcome": "deleted", "isFound": is_found, "settleSeconds": SETTLE_SECONDS}


def worker_of(client: Client, task_queue: str) -> Worker:
    return Worker(
        client,
        task_queue=task_queue,
        activities=ACTIVITIES,
        max_concurrent_activities=CALLS_AT_ONCE,
        # What the account may be asked in a second, by all workers of this queue together.
        max_task_queue_activities_per_second=50,
        # The SDK would hold heartbeats back for most of --heartbeat-timeout, and a cancellation comes with the answer to one.
        default_heartbeat_throttle_interval=timedelta(seconds=1),
        max_heartbeat_throttle_interval=timedelta(seconds=1),
    )


def make_room(queues: int) -> None:
    """A thread for each call. By default there is a handful, which a silent cloud would keep from all others."""
    threads = ThreadPoolExecutor(max_workers=queues * CALLS_AT_ONCE)
    asyncio.get_running_loop().set_default_executor(threads)


async def main() -> None:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"),
        data_converter=data_converter(os.environ.get("MILLWRIGHT_PAYLOAD_KEYS")),
    )
    # One for creates, one for deletes, one for reads: none of them holds up the others.
    queues = os.environ["MILLWRIGHT_DRIVER_QUEUES"].split()
    make_room(len(queues))
    workers = [worker_of(client, queue) for queue in queues]
    print(f"serving {', '.join(queues)}", flush=True)
    await asyncio.gather(*(worker.run() for worker in workers))


if __name__ == "__main__":
    asyncio.run(main())
