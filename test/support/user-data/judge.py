"""Judges documents by cloud-init's own check and by Python's parser of TOML.

Argument: the folder of cloud-init's Debian package. Standard input: a list of [kind, text] as JSON,
where the kind is cloud-init or toml. Standard output: for each its fault, or null.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import tomllib

sys.path.insert(0, os.path.join(sys.argv[1], "usr/lib/python3/dist-packages"))
# cloud-init reads its schema beside its modules, and logs where nobody may write.
from cloudinit.config.schema import get_schema, validate_cloudconfig_file

schema = get_schema()


def judge_cloud_init(text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        # What is deprecated is only printed.
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            validate_cloudconfig_file(file.name, schema)
        if printed.getvalue():
            raise ValueError(printed.getvalue())


judges = {"cloud-init": judge_cloud_init, "toml": tomllib.loads}


def fault_of(kind, text):
    try:
        judges[kind](text)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


verdicts = [fault_of(kind, text) for kind, text in json.load(sys.stdin)]
json.dump(verdicts, sys.stdout)
