#!/usr/bin/env python3
"""CITATION.cff has what CFF 1.2 requires, and the version of CMakeLists.txt.

    tests/citation.py ROOT     exit status 1 with a line for each mistake; 77 without python3-yaml"""
import os
import re
import sys

try:
    import yaml
except ImportError:
    print("python3-yaml is missing")
    sys.exit(77)

# Of the schema of CFF 1.2.0: the required keys, and all others that a file may have at its top.
REQUIRED = {"authors", "cff-version", "message", "title"}
OTHERS = {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license", "license-url",
          "preferred-citation", "references", "repository", "repository-artifact", "repository-code", "type", "url", "version"}
ENTITY = {"address", "alias", "city", "country", "date-end", "date-start", "email", "fax", "location", "name", "orcid", "post-code",
          "region", "tel", "website"}
PERSON = {"address", "affiliation", "alias", "city", "country", "email", "family-names", "fax", "given-names", "name-particle",
          "name-suffix", "orcid", "post-code", "region", "tel", "website"}


def mistakes(root):
    with open(os.path.join(root, "CITATION.cff"), encoding="utf-8") as file:
        citation = yaml.safe_load(file)
    with open(os.path.join(root, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"^project\(bough VERSION ([0-9.]+)", file.read(), re.M).group(1)
    for key in REQUIRED - citation.keys():
        yield f"{key} is missing"
    for key in citation.keys() - REQUIRED - OTHERS:
        yield f"{key} is no key of CFF"
    if citation.get("cff-version") != "1.2.0":
        yield f"cff-version is {citation.get('cff-version')}"
    if citation.get("version") != version:
        yield f"version is {citation.get('version')}, that of CMakeLists.txt is {version}"
    if citation.get("type") not in ("software", "dataset", None):
        yield f"type is {citation['type']}"
    for key in ("message", "title", "abstract", "license"):
        if not isinstance(citation.get(key, "x"), str) or not citation.get(key, "x"):
            yield f"{key} is no text"
    words = citation.get("keywords", ["x"])
    if not words or len(set(words)) != len(words) or not all(isinstance(word, str) for word in words):
        yield "keywords are no list of different texts"
    if not citation.get("authors"):
        yield "no authors"
    for author in citation.get("authors", ()):
        if not author.keys() <= (ENTITY if "name" in author else PERSON):
            yield f"an author has unknown keys: {author}"


found = list(mistakes(sys.argv[1]))
for each in found:
    print("CITATION.cff:", each)
sys.exit(bool(found))
