"""Payloads as Millwright encrypts them with --payload-keys: AES-256-GCM, with the id of the key in the metadata."""

import base64
import dataclasses
import os
from collections.abc import Sequence

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import DataConverter, DefaultFailureConverterWithEncodedAttributes, PayloadCodec

ENCODING = b"binary/encrypted"
KEY_ID = "encryption-key-id"
NONCE_BYTES = 12


class EncryptionCodec(PayloadCodec):
    """The first key encrypts, all decrypt. Without keys nothing is encrypted, and what is cannot be read."""

    def __init__(self, keys: dict[str, bytes]) -> None:
        self.keys = {key_id: AESGCM(key) for key_id, key in keys.items()}

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self.encrypt(payload) for payload in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self.decrypt(payload) for payload in payloads]

    def encrypt(self, payload: Payload) -> Payload:
        if not self.keys:
            return payload
        key_id, key = next(iter(self.keys.items()))
        nonce = os.urandom(NONCE_BYTES)
        data = nonce + key.encrypt(nonce, payload.SerializeToString(), None)
        return Payload(metadata={"encoding": ENCODING, KEY_ID: key_id.encode()}, data=data)

    def decrypt(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != ENCODING:
            return payload
        key_id = payload.metadata[KEY_ID].decode()
        key = self.keys.get(key_id)
        if key is None:
            known = ", ".join(self.keys) or "no key"
            raise ValueError(
                f"a payload is encrypted with the key {key_id!r}, and this driver has {known}: "
                "name the file that watcher and worker have in MILLWRIGHT_PAYLOAD_KEYS"
            )
        nonce, data = payload.data[:NONCE_BYTES], payload.data[NONCE_BYTES:]
        return Payload.FromString(key.decrypt(nonce, data, None))


def read_keys(path: str) -> dict[str, bytes]:
    """A key on each line: its id, a blank, and 32 bytes in base64."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {key_id: base64.b64decode(key, validate=True) for key_id, key in lines}


def data_converter(path: str | None) -> DataConverter:
    """Messages of failures are encrypted as well, where there are keys."""
    keys = read_keys(path) if path else {}
    converter = dataclasses.replace(DataConverter.default, payload_codec=EncryptionCodec(keys))
    if not keys:
        return converter
    return dataclasses.replace(converter, failure_converter_class=DefaultFailureConverterWithEncodedAttributes)
