#!/usr/bin/env python3
"""docs/schema is a JSON schema, and refers to its definitions, all of them and no others.

    tests/schema.py ROOT     exit status 1 with a line for each mistake; 77 without python3-jsonschema

What the command prints is compared with it by tests/cli/schema_test.py."""
import glob
import json
import os
import re
import sys

try:
    import jsonschema
    VALIDATOR = jsonschema.Draft202012Validator
except (ImportError, AttributeError):
    print("python3-jsonschema is missing")
    sys.exit(77)

mistakes = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "docs/schema/*.json"))):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    schema = json.loads(text)
    try:
        VALIDATOR.check_schema(schema)
    except jsonschema.SchemaError as error:
        print(f"{path}: {error.message}")
        mistakes += 1
    used = set(re.findall(r'"#/\$defs/([^"/]+)"', text))
    for name in sorted(used ^ set(schema.get("$defs", {}))):
        print(f"{path}: $defs/{name}: " + ("not defined" if name in used else "nothing refers to it"))
        mistakes += 1
sys.exit(1 if mistakes else 0)
