"""The cloud's side: calls of the local stack's virtual cloud (docs/virtual-cloud.md), and what its errors mean."""

import json
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

Json = dict[str, Any]
CALL_TIMEOUT_SECONDS = 30
# With these the cloud has looked at a create and made nothing. The others may come in the middle of the work.
REFUSALS = {"InvalidArgument", "PermissionDenied", "ResourceExhausted", "FailedPrecondition"}


class Failure(Exception):
    """Becomes the answer `failed`. `settled`: this call looked, found nothing, and left nothing behind."""

    def __init__(self, code: str, message: str, *, settled: bool, **more: Any) -> None:
        super().__init__(message)
        failure = {"code": code, "message": message, "isSettled": settled, **more}
        self.code = code
        self.answer: Json = {"outcome": "failed", "failure": failure}


class VirtualCloud:
    def __init__(self, url: str) -> None:
        self._url = url

    def create(self, body: Json) -> Json:
        return self._call("POST", "/instances", body)

    def list(self, tags: dict[str, str], **query: str) -> list[Json]:
        parts = [("tag", f"{key}={value}") for key, value in tags.items()]
        answer = self._call("GET", f"/instances?{urlencode([*parts, *query.items()])}")
        return list(answer["instances"])

    def describe(self, instance_id: str) -> Json | None:
        answer = self._or_none("GET", instance_id)
        return None if answer is None else answer["instance"]

    def delete(self, instance_id: str) -> bool:
        return self._or_none("DELETE", instance_id) is not None

    def _or_none(self, method: str, instance_id: str) -> Json | None:
        try:
            return self._call(method, f"/instances/{quote(instance_id, safe='')}")
        except Failure as failure:
            if failure.code == "NotFound":
                return None
            raise

    def _call(self, method: str, path: str, body: Json | None = None) -> Json:
        data = None if body is None else json.dumps(body).encode()
        try:
            request = Request(self._url + path, data, method=method)
            with urlopen(request, timeout=CALL_TIMEOUT_SECONDS) as response:
                return dict(json.load(response))
        except HTTPError as error:
            raise failure_of(error, is_create=method == "POST") from error
        except TimeoutError as error:
            raise Failure("DeadlineExceeded", f"virtual cloud: {error}", settled=False) from error
        except (HTTPException, OSError) as error:
            # The connection broke: the cloud may have done it.
            raise Failure("Unavailable", f"virtual cloud: {error}", settled=False) from error


def failure_of(error: HTTPError, *, is_create: bool) -> Failure:
    try:
        fault = json.load(error)["error"]
        code, reason, message = fault["code"], fault["reason"], fault["message"]
    except (ValueError, KeyError, TypeError):
        return Failure("Unavailable", f"virtual cloud: status {error.code}", settled=False)
    if reason == "Throttled":
        # Never ResourceExhausted: the cluster autoscaler gives up a pool that is told so.
        pause = float(error.headers.get("retry-after", 1))
        return Failure("Unavailable", message, settled=is_create, retryAfterSeconds=pause)
    return Failure(code, message, settled=is_create and code in REFUSALS)
