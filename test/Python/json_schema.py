# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a JSON value against a JSON schema, for tests.

Knows the keywords that kernel.schema.json uses and refuses every other one, so
that nothing in a schema goes unchecked.
"""

TYPES = {"object": dict, "array": list, "string": str, "null": type(None),
         "integer": int, "number": (int, float), "boolean": bool}
NOTES = {"$schema", "$defs", "title", "description"}


class SchemaError(ValueError):
    """A value that a schema does not allow, or a schema that is not known."""


def has_type(value, name):
    """Whether a value is of a type of JSON; true and false are no numbers."""
    return isinstance(value, TYPES[name]) and (name == "boolean" or
                                               not isinstance(value, bool))


def check(value, schema, root, path="kernel.json"):
    """Raises SchemaError, with the place, unless the schema allows the value;
    `root` is the schema that has the $defs."""
    def fail(expected):
        raise SchemaError(f"{path}: expected {expected} but got {value!r:.60}")

    for keyword, wanted in schema.items():
        if keyword in NOTES:
            continue
        if keyword == "$ref":
            name = wanted.removeprefix("#/$defs/")
            check(value, root["$defs"][name], root, path)
        elif keyword == "type":
            names = [wanted] if isinstance(wanted, str) else wanted
            if not any(has_type(value, name) for name in names):
                fail(" or ".join(names))
        elif keyword == "const":
            if value != wanted:
                fail(repr(wanted))
        elif keyword == "enum":
            if value not in wanted:
                fail(f"one of {wanted}")
        elif keyword == "minimum":
            if value is not None and value < wanted:
                fail(f"at least {wanted}")
        elif keyword == "maximum":
            if value > wanted:
                fail(f"at most {wanted}")
        elif keyword in ("minItems", "maxItems"):
            if (len(value) < wanted if keyword == "minItems"
                    else len(value) > wanted):
                fail(f"{keyword} {wanted}")
        elif keyword == "items":
            for index, item in enumerate(value):
                check(item, wanted, root, f"{path}[{index}]")
        elif keyword == "required":
            for name in wanted:
                if name not in value:
                    fail(f"the key '{name}'")
        elif keyword == "properties":
            for name in wanted.keys() & value.keys():
                check(value[name], wanted[name], root, f"{path}.{name}")
        elif keyword == "oneOf":
            fitting = [fits(value, choice, root) for choice in wanted]
            if sum(fitting) != 1:
                fail(f"one of {len(wanted)} kinds, not {sum(fitting)},")
        else:
            raise SchemaError(f"{path}: the keyword '{keyword}' is not known")


def fits(value, schema, root):
    """Whether the schema allows the value."""
    try:
        check(value, schema, root)
    except SchemaError:
        return False
    return True
