"""Shapes of JSON values, written as tables and checked strictly.

What: small classes that say what a value must look like (a text within a limit, a list, a record
with these members and no other) and raise Wrong naming the place and the reason.
Why: the limits of a service can then be read as one table next to its section of the spec.
What it does not do: it changes no value and fills no default.
Lengths count in the unit that a service counts: Unicode characters, or bytes of UTF-8.
"""

import re

UNITS = {"characters": len, "bytes": lambda text: len(text.encode("utf-8", "surrogatepass"))}


class Wrong(Exception):
    """`place` is a path such as blocks[2].text.text, `why` says what is there and what may be."""

    def __init__(self, place, why):
        super().__init__(f"{place or 'the body'}: {why}")
        self.place, self.why = place, why


class Anything:
    """Every value; further rules are functions value -> reason or None."""

    def __init__(self, *rules):
        self.rules = rules

    def check(self, value, place=""):
        self.check_form(value, place)
        for rule in self.rules:
            why = rule(value)
            if why:
                raise Wrong(place, why)

    def check_form(self, value, place):
        """Overridden by the kinds of values."""


class Text(Anything):
    """A text of low to high units; `pattern` must match the whole of it."""

    def __init__(self, high=None, *rules, low=1, unit="characters", pattern=None):
        super().__init__(*rules)
        self.low, self.high, self.unit = low, high, unit
        self.pattern = pattern and re.compile(pattern)

    def check_form(self, value, place):
        if not isinstance(value, str):
            raise Wrong(place, f"{kind_of(value)}, expected a text")
        size = UNITS[self.unit](value)
        if self.high is not None and size > self.high:
            raise Wrong(place, f"{size} {self.unit}, at most {self.high}")
        if size < self.low:
            raise Wrong(place, f"{size} {self.unit}, at least {self.low}")
        if self.pattern and not self.pattern.fullmatch(value):
            raise Wrong(place, f"'{value[:80]}' does not match {self.pattern.pattern}")


class Choice(Anything):
    """One of the given values, compared with their types."""

    def __init__(self, *values):
        super().__init__()
        self.values = values

    def check_form(self, value, place):
        if not any(type(value) is type(v) and value == v for v in self.values):
            raise Wrong(place, f"{value!r:.80}, expected one of {list(self.values)}")


class Whole(Anything):
    """An integer; true and false are none."""

    def __init__(self, low=None, high=None):
        super().__init__()
        self.low, self.high = low, high

    def check_form(self, value, place):
        if isinstance(value, bool) or not isinstance(value, int):
            raise Wrong(place, f"{kind_of(value)}, expected an integer")
        if self.low is not None and value < self.low:
            raise Wrong(place, f"{value}, at least {self.low}")
        if self.high is not None and value > self.high:
            raise Wrong(place, f"{value}, at most {self.high}")


class Number(Anything):
    """An integer or a float within bounds."""

    def __init__(self, low=None, high=None):
        super().__init__()
        self.low, self.high = low, high

    def check_form(self, value, place):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Wrong(place, f"{kind_of(value)}, expected a number")
        if self.low is not None and value < self.low or self.high is not None and value > self.high:
            raise Wrong(place, f"{value}, expected {self.low} to {self.high}")


class Flag(Anything):
    """true or false."""

    def check_form(self, value, place):
        if not isinstance(value, bool):
            raise Wrong(place, f"{kind_of(value)}, expected true or false")


class Maybe(Anything):
    """null, or the other shape."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape

    def check_form(self, value, place):
        if value is not None:
            self.shape.check(value, place)


class List(Anything):
    """low to high items of one shape."""

    def __init__(self, item, high=None, *rules, low=0):
        super().__init__(*rules)
        self.item, self.low, self.high = item, low, high

    def check_form(self, value, place):
        if not isinstance(value, list):
            raise Wrong(place, f"{kind_of(value)}, expected a list")
        if self.high is not None and len(value) > self.high:
            raise Wrong(place, f"{len(value)} items, at most {self.high}")
        if len(value) < self.low:
            raise Wrong(place, f"{len(value)} items, at least {self.low}")
        for number, item in enumerate(value):
            self.item.check(item, f"{place}[{number}]")


class Map(Anything):
    """An object with free member names and values of one shape."""

    def __init__(self, value, high=None, *rules, name=None):
        super().__init__(*rules)
        self.value, self.high, self.name = value, high, name

    def check_form(self, value, place):
        if not isinstance(value, dict):
            raise Wrong(place, f"{kind_of(value)}, expected an object")
        if self.high is not None and len(value) > self.high:
            raise Wrong(place, f"{len(value)} members, at most {self.high}")
        for name, member in value.items():
            if self.name:
                self.name.check(name, f"{place}{{{name[:80]}}}")
            self.value.check(member, join(place, name))


class Record(Anything):
    """An object with exactly these members; `required` names those that must be there."""

    def __init__(self, required, members, *rules):
        super().__init__(*rules)
        self.required, self.members = required.split(), members

    def check_form(self, value, place):
        if not isinstance(value, dict):
            raise Wrong(place, f"{kind_of(value)}, expected an object")
        for name in value:
            if name not in self.members:
                raise Wrong(join(place, name), "this member is unknown here")
        for name in self.required:
            if name not in value:
                raise Wrong(join(place, name), "this member is required")
        for name, member in value.items():
            self.members[name].check(member, join(place, name))


class Tagged(Anything):
    """An object whose member `tag` picks one of several records."""

    def __init__(self, tag, records):
        super().__init__()
        self.tag, self.records = tag, records

    def check_form(self, value, place):
        if not isinstance(value, dict):
            raise Wrong(place, f"{kind_of(value)}, expected an object")
        kind = value.get(self.tag)
        if not isinstance(kind, str) or kind not in self.records:
            raise Wrong(join(place, self.tag), f"{kind!r:.80}, known: {sorted(self.records)}")
        self.records[kind].check(value, place)


class Later(Anything):
    """A shape that is made when it is needed: for shapes that contain themselves."""

    def __init__(self, make):
        super().__init__()
        self.make = make

    def check_form(self, value, place):
        self.make().check(value, place)


def join(place, name):
    return f"{place}.{name}" if place else str(name)


def kind_of(value):
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value",
             int: "an integer", float: "a number", type(None): "null"}
    return names[type(value)]


def needs_one_of(*names):
    """A rule of records: at least one of these members is there and not empty."""
    def rule(value):
        return None if any(value.get(n) for n in names) else f"needs one of {', '.join(names)}"
    return rule


WEB_ADDRESS = Text(3000, pattern=r"https?://[^\s<>\"]+")
TIME = Text(40, pattern=r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
