"""The control cluster's side: classes, Secrets, Machines, and whether anything may be done now. It writes nothing."""

import base64
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn
from urllib.parse import quote

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from virtual_cloud import Failure, Json

# Clocks are compared here, so only coarsely. A watcher renews its Lease every 2 s.
LEASE_AGE_MAX = timedelta(seconds=60)
FINALIZER = "machine.sapcloud.io/machine-controller-manager"
# Of decode() and encode(): a Secret may hold bytes that are no text, such as user data packed with gzip.
BYTES = "surrogateescape"


class Cluster:
    def __init__(self) -> None:
        config.load_config()  # KUBECONFIG, ~/.kube/config, or the pod's own
        self._core = client.CoreV1Api()
        self._leases = client.CoordinationV1Api()
        self._custom = client.CustomObjectsApi()

    def require_active_watcher(self, namespace: str) -> None:
        """Nothing is created or deleted while a person has stopped everything, or while no watcher leads."""
        stop = or_none(lambda: self._core.read_namespaced_config_map("millwright-stop", namespace))
        if stop is not None:
            reason = (stop.data or {}).get("reason", "no reason given")
            wait("Stopped", f"stopped by ConfigMap {namespace}/millwright-stop: {reason}")
        lease = or_none(lambda: self._leases.read_namespaced_lease("millwright", namespace))
        held = lease is not None and lease.spec.holder_identity and lease.spec.renew_time
        if not held or datetime.now(UTC) - lease.spec.renew_time > LEASE_AGE_MAX:
            wait("NoActiveWatcher", f'no watcher holds the Lease "millwright" in namespace {namespace}')

    def read_class(self, namespace: str, name: str) -> tuple[Json, dict[str, str]]:
        """The class, and its Secrets: decoded, and never to be logged or answered."""
        api = machines_api(namespace, "machineclasses")
        found = or_none(lambda: self._custom.get_namespaced_custom_object(*api, name))
        if found is None:
            refuse(f'MachineClass "{name}" does not exist in namespace {namespace}: create it')
        secret: dict[str, str] = {}
        for field in ("secretRef", "credentialsSecretRef"):
            # Only of the class's own namespace, whatever the reference says.
            if secret_name := (found.get(field) or {}).get("name"):
                secret |= self._read_secret(namespace, secret_name)
        return found, secret

    def _read_secret(self, namespace: str, name: str) -> dict[str, str]:
        found = or_none(lambda: self._core.read_namespaced_secret(name, namespace))
        if found is None:
            refuse(f'secretRef.name: Secret "{name}" does not exist in namespace {namespace}')
        return {key: base64.b64decode(value).decode(errors=BYTES) for key, value in (found.data or {}).items()}

    def is_claimed(self, provider_id: str, machine: Json) -> bool:
        """An instance that was found by its name alone may belong to another Machine than this one."""
        api = machines_api(machine["namespace"], "machines")
        found: Json = or_none(lambda: self._custom.list_namespaced_custom_object(*api))
        owners = [one for one in found["items"] if one.get("spec", {}).get("providerID") == provider_id]
        return any(owner["metadata"]["uid"] != machine["uid"] for owner in owners)

    def require_deletable(self, machine: Json, token: str, provider_id: str | None) -> None:
        """Only what its Machine gives up, by its deletion, or what no Machine has. A request may be forged."""
        api = machines_api(machine["namespace"], "machines")
        machines = self._custom.list_namespaced_custom_object(*api)["items"]
        own = [one for one in machines if one["metadata"]["uid"] == machine["uid"]]
        named = [one for one in machines if one["metadata"]["name"] == machine["name"]]
        is_ours = token.startswith(f"{machine['uid']}-") and all(one in named for one in own)
        if not is_ours or not is_given_up(own, named, provider_id):
            refuse_deletion(f"Machine {machine['name']} is not being deleted")
        claim = own[0]["spec"].get("providerID") if own else None
        if provider_id is not None and claim != provider_id:
            if self.is_claimed(provider_id, {"uid": None, "namespace": machine["namespace"]}):
                refuse_deletion(f"another Machine has {provider_id}")

    def user_data(self, template: str, machine_name: str, token_id: str | None) -> str:
        filled = fill(template, "<<MACHINE_NAME>>", machine_name)
        if token_id is None:
            return filled
        return fill(filled, "<<BOOTSTRAP_TOKEN>>", f"{token_id}.{self._bootstrap_token(token_id)}")

    def _bootstrap_token(self, token_id: str) -> str:
        """The core makes it anew before it asks again. An earlier call may have used it: nothing is settled."""
        name = f"bootstrap-token-{token_id}"
        secret = or_none(lambda: self._core.read_namespaced_secret(name, "kube-system"))
        if secret is None:
            raise Failure("Unavailable", f"{name} was deleted before it was used", settled=False)
        data = {key: base64.b64decode(value).decode() for key, value in secret.data.items()}
        end, made = datetime.fromisoformat(data["expiration"]), secret.metadata.creation_timestamp
        if end - datetime.now(UTC) < (end - made) / 4:
            raise Failure("Unavailable", f"{name} ends before a Node could join with it", settled=False)
        return data["token-secret"]


def is_given_up(own: list[Json], named: list[Json], provider_id: str | None) -> bool:
    """A Machine that lives keeps what it has; one that has nothing yet may lose what it cannot use."""
    for one in own:
        metadata = one["metadata"]
        if "deletionTimestamp" in metadata and FINALIZER in metadata.get("finalizers", []):
            return True
        if one["spec"].get("providerID"):
            return False
    return provider_id is not None or not named


def refuse_deletion(why: str) -> NoReturn:
    raise Failure("FailedPrecondition", f"the instance is not deleted: {why}", settled=False)


def machines_api(namespace: str, kind: str) -> tuple[str, str, str, str]:
    return "machine.sapcloud.io", "v1alpha1", namespace, kind


def or_none(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ApiException as error:
        if error.status == 404:
            return None
        raise


def refuse(message: str) -> NoReturn:
    raise Failure("InvalidArgument", message, settled=True)


def wait(kind: str, message: str) -> NoReturn:
    """An exception and no answer: Temporal asks again, and the core does not count it as a failure."""
    pause = timedelta(seconds=2 + 3 * random.random())
    benign = ApplicationErrorCategory.BENIGN
    raise ApplicationError(message, type=kind, category=benign, next_retry_delay=pause)


def fill(text: str, place: str, value: str) -> str:
    """As MCM: where the literal place stands, all literal ones; otherwise all that are URL-escaped."""
    if place in text:
        return text.replace(place, value)
    return text.replace(quote(place, safe=""), quote(value, safe=""))
