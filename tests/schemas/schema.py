"""A schema of docs/schemas/ -> which of its rules an output breaks, and which of its properties were seen in outputs."""

import functools
import json
import re

import jsonschema
from expectations import expect, failures


class Schema:
    """A schema, and which of its properties occurred in outputs."""

    def __init__(self, path):
        self.name = path.stem
        self.text = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(self.text)
        self.validator = jsonschema.Draft202012Validator(self.text)
        self.seen = set()
        self.checked = set()
        self.known = set()
        self.check_texts(self.text)

    def check_texts(self, schema):
        """Each property has a description, and each object says which properties it has."""
        if isinstance(schema, list):
            for part in schema:
                self.check_texts(part)
        if not isinstance(schema, dict):
            return
        if schema.get("type") == "object":
            expect(f"{self.name}: {schema.get('description')}: additionalProperties", "additionalProperties" in schema, True)
        for name, part in schema.get("properties", {}).items():
            self.known.add(name)
            target = self.text["$defs"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
            expect(f"{self.name}: {name} has a description", bool(part.get("description") or target.get("description")), True)
            if name.endswith("_us"):
                expect(f"{self.name}: {name}: its unit", "icroseconds" in part["description"] or "Time of" in part["description"], True)
        for part in schema.values():
            self.check_texts(part)

    def check(self, what, document):
        number, document = thinned(document)
        if number in self.checked:
            return
        self.checked.add(number)
        for error in list(self.validator.iter_errors(document))[:3]:
            best = jsonschema.exceptions.best_match([error])
            failures.append(f"{what}: {self.name}.json: {best.json_path}: {best.message[:300]}")
        self.see(document)

    def see(self, document):
        if isinstance(document, list):
            for part in document:
                self.see(part)
        elif isinstance(document, dict):
            self.seen.update(document)
            for part in document.values():
                self.see(part)


WORD = re.compile(r"[a-z_ ]{1,30}|-?[0-9]+")
forms = {}  # a form, of which the parts are numbers -> its number


@functools.cache
def form_of_text(text):
    return number_of(("s", "0" if text.isdigit() else text) if WORD.fullmatch(text) else "s")


def number_of(form):
    return forms.setdefault(form, len(forms))


def form(value):
    """Returns a number for what a schema checks: types, keys, words and signs; for an array, the set of those of its
    elements."""
    kind = type(value)
    if kind is str:
        return form_of_text(value)
    if kind is dict:
        return number_of((tuple(value), *map(form, value.values())))
    if kind is list:
        return number_of(frozenset(map(form, value)))
    if kind is int:
        return (value > 0) - (value < 0) - 2  # below the numbers of all others
    return number_of((kind, value if kind is bool else value is not None and (value > 0) - (value < 0)))


def thinned(value):
    """Returns the form of a value, and the value without elements of arrays that have the form of an earlier one."""
    if isinstance(value, dict):
        parts = {key: thinned(part) for key, part in value.items()}
        number = number_of((tuple(value), *(number for number, _ in parts.values())))
        return number, {key: part for key, (_, part) in parts.items()}
    if isinstance(value, list):
        kept = {}
        for part in value:
            kept.setdefault(form(part), part)
        return number_of(frozenset(kept)), [thinned(part)[1] for part in kept.values()]
    return form(value), value
