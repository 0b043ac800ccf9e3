"""Judges a GraphQL request against a table of types, the way a server does before it runs it.

What: validation of the document (fields, arguments, input fields, variables, fragments) and
coercion of the variables' values.
Why: an unknown argument or input field fails the whole document of an older server, and a client
learns of it here and not in front of the real service.
What it does not do: it resolves nothing. Fields that merge are compared by name and arguments
alone.
Source of the rules: the GraphQL specification, October 2021, sections 5 and 6.4.1.
"""

import json

from graphql_text import Enum, Field, Inline, Spread, Type, Variable, schema_parse

CONDITION = Type("Boolean", None, True)
INT_LIMIT = 1 << 31


class GraphQLWrong(Exception):
    """The request is refused as a whole; the message says why."""


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_json_text(value):
    """JSON inside a string, as the scalar JSONString carries it; no NaN and no Infinity."""
    def refuse(_name):
        raise ValueError
    try:
        json.loads(value, parse_constant=refuse)
        return True
    except (TypeError, ValueError, RecursionError):
        return False


SCALARS = {
    "String": lambda v: isinstance(v, str),
    "ID": lambda v: isinstance(v, str),
    "Boolean": lambda v: isinstance(v, bool),
    "Int": lambda v: is_whole(v) and -INT_LIMIT <= v < INT_LIMIT,
    "Int64": is_whole,
    "Duration": is_whole,
    "Float": lambda v: is_whole(v) or isinstance(v, float),
    "DateTime": lambda v: isinstance(v, str),
    "JSONString": is_json_text,
}


class Schema:
    """A table of types; `features` are those of the server, an entry that needs another one is not
    there at all."""

    def __init__(self, text, features):
        self.types, self.features = schema_parse(text), set(features)

    def entries(self, definition):
        return {name: entry for name, entry in definition.fields.items()
                if entry.needs is None or entry.needs in self.features}

    def kind(self, name):
        if name in SCALARS:
            return "scalar"
        return self.types[name].kind if name in self.types else None

    def is_input(self, kind):
        return self.kind(kind.leaf) in ("scalar", "enum", "input")

    def field(self, owner, name):
        """The definition of a field of a type; None when there is none."""
        definition = self.types[owner]
        return self.entries(definition).get(name) if definition.kind == "type" else None


def coerce_object(schema, definition, value, variables, place):
    if not isinstance(value, dict):
        raise GraphQLWrong(f"{place}: expected an object of type {definition.name}")
    entries, result = schema.entries(definition), {}
    for name in value:
        if name not in entries:
            raise GraphQLWrong(f'{place}: field "{name}" is not defined by type {definition.name}')
    for name, entry in entries.items():
        given = value.get(name)
        absent = name not in value or (isinstance(given, Variable)
                                       and given.name not in (variables or ()))
        if absent and entry.has_default:
            result[name] = entry.default
        elif absent and entry.type.required:
            raise GraphQLWrong(f"{place}.{name}: a value of type {entry.type} is required")
        elif not absent:
            result[name] = coerce(schema, entry.type, given, variables, f"{place}.{name}")
    return result


def refuse_variable(variable, place):
    raise GraphQLWrong(f"{place}: ${variable.name} cannot stand in a default")


def coerce(schema, kind, value, variables, place):
    """The value as `kind`; literals keep their Enum and Variable marks, JSON has none. `variables`
    is None where a value may not refer to any."""
    if isinstance(value, Variable):
        value = refuse_variable(value, place) if variables is None else variables.get(value.name)
        if value is None and kind.required:
            raise GraphQLWrong(f"{place}: a value of type {kind} is required")
        return value
    if value is None:
        if kind.required:
            raise GraphQLWrong(f"{place}: a value of type {kind} is required")
        return None
    if kind.item:
        items = value if isinstance(value, list) else [value]
        return [coerce(schema, kind.item, item, variables, f"{place}[{number}]")
                for number, item in enumerate(items)]
    if kind.name in SCALARS:
        if not SCALARS[kind.name](value):
            raise GraphQLWrong(f"{place}: {value!r:.80} is no {kind.name}")
        return value
    definition = schema.types[kind.name]
    if definition.kind == "enum":
        name = value.name if isinstance(value, Enum) else value
        if name not in definition.members:
            raise GraphQLWrong(f"{place}: {name!r:.80} is no {kind.name}")
        return name
    return coerce_object(schema, definition, value, variables, place)


def fits_variable(have, need, has_default):
    """Whether a variable of one type may stand where another one is needed (spec 5.8.5)."""
    if need.required and not have.required and not has_default:
        return False
    if bool(have.item) != bool(need.item):
        return False
    return fits_variable(have.item, need.item, False) if have.item else have.name == need.name


class Validator:
    """Walks one operation and collects the variables that it uses."""

    def __init__(self, schema, operation, fragments):
        self.schema, self.operation, self.fragments = schema, operation, fragments
        self.used, self.open, self.spread = set(), [], set()

    def check(self):
        for variable in self.operation.variables.values():
            if not self.schema.is_input(variable.type):
                raise GraphQLWrong(f"${variable.name}: unknown input type {variable.type}")
            if variable.has_default:
                coerce(self.schema, variable.type, variable.default, None, f"${variable.name}")
        root = self.operation.kind.capitalize()
        self.check_selections(root, self.operation.selections)
        unused = set(self.operation.variables) - self.used
        if unused:
            raise GraphQLWrong(f"variables are declared and not used: {sorted(unused)}")
        idle = set(self.fragments) - self.spread
        if idle:
            raise GraphQLWrong(f"fragments are defined and not used: {sorted(idle)}")

    def check_selections(self, owner, selections):
        seen = {}
        for item in selections:
            self.check_directives(item.directives)
            if isinstance(item, Field):
                same = seen.setdefault(item.key, (item.name, item.arguments))
                if same != (item.name, item.arguments):
                    raise GraphQLWrong(f"{owner}.{item.key} is selected in two different ways")
                self.check_field(owner, item)
            elif isinstance(item, Inline):
                self.check_condition(owner, item.on)
                self.check_selections(item.on or owner, item.selections)
            elif isinstance(item, Spread):
                self.check_spread(owner, item)

    def check_spread(self, owner, spread):
        fragment = self.fragments.get(spread.name)
        if fragment is None or spread.name in self.open:
            raise GraphQLWrong(f"fragment {spread.name} is unknown or contains itself")
        self.check_condition(owner, fragment.on)
        self.spread.add(spread.name)
        self.open.append(spread.name)
        self.check_selections(fragment.on, fragment.selections)
        self.open.pop()

    def check_condition(self, owner, on):
        members = self.schema.types[owner].members
        if on and on != owner and on not in members:
            raise GraphQLWrong(f"a fragment on {on} cannot apply to {owner}")

    def check_directives(self, directives):
        for directive in directives:
            if directive.name not in ("include", "skip") or set(directive.arguments) != {"if"}:
                raise GraphQLWrong(f"unknown directive @{directive.name}")
            self.check_value(CONDITION, directive.arguments["if"], f"@{directive.name}", False)

    def check_field(self, owner, item):
        if item.name == "__typename":
            return
        field = self.schema.field(owner, item.name)
        if field is None:
            raise GraphQLWrong(f'Cannot query field "{item.name}" on type "{owner}".')
        place = f"{owner}.{item.name}"
        for name, value in item.arguments.items():
            if name not in field.arguments:
                raise GraphQLWrong(f'Unknown argument "{name}" on field "{place}".')
            argument = field.arguments[name]
            self.check_value(argument.type, value, f"{place}({name})", argument.has_default)
        for name, argument in field.arguments.items():
            if argument.type.required and name not in item.arguments and not argument.has_default:
                raise GraphQLWrong(f'Field "{place}" needs the argument "{name}".')
        composite = self.schema.kind(field.type.leaf) in ("type", "union")
        if composite != bool(item.selections):
            raise GraphQLWrong(f'Field "{place}" must have {"a" if composite else "no"} selection.')
        if composite:
            self.check_selections(field.type.leaf, item.selections)

    def check_value(self, kind, value, place, has_default):
        """A literal in the document, with variables anywhere inside."""
        if isinstance(value, Variable):
            self.check_variable(kind, value, place, has_default)
        elif isinstance(value, list) and kind.item:
            for number, item in enumerate(value):
                self.check_value(kind.item, item, f"{place}[{number}]", False)
        elif isinstance(value, dict) and self.schema.kind(kind.leaf) == "input":
            definition = self.schema.types[kind.leaf]
            entries = self.schema.entries(definition)
            for name, item in value.items():
                if name not in entries:
                    raise GraphQLWrong(
                        f'{place}: field "{name}" is not defined by type {kind.leaf}')
                self.check_value(entries[name].type, item, f"{place}.{name}",
                                 entries[name].has_default)
            missing = [n for n, e in entries.items()
                       if e.type.required and not e.has_default and n not in value]
            if missing:
                raise GraphQLWrong(f"{place}: {missing[0]} of type {kind.leaf} is required")
        else:
            check_literal(kind, value, place, self.schema)

    def check_variable(self, kind, value, place, has_default):
        variable = self.operation.variables.get(value.name)
        if variable is None:
            raise GraphQLWrong(f"${value.name} is not declared")
        self.used.add(value.name)
        given = has_default or (variable.has_default and variable.default is not None)
        if not fits_variable(variable.type, kind, given):
            raise GraphQLWrong(f"${value.name} of type {variable.type} is used at {place}, "
                               f"which needs {kind}")


def check_literal(kind, value, place, schema):
    is_enum = schema.kind(kind.leaf) == "enum"
    if value is not None and is_enum != isinstance(value, Enum):
        raise GraphQLWrong(f"{place}: {value!r:.80} is no {kind}")
    coerce(schema, kind, value, None, place)


def operation_pick(operations, name):
    """The one operation of the document that has this name."""
    found = [item for item in operations if item.name == name]
    if len(found) != 1:
        raise GraphQLWrong(f"operationName {name!r}: the document has "
                           f"{[item.name for item in operations]}")
    return found[0]


def check_known_variables(operation, given):
    unknown = set(given) - set(operation.variables)
    if unknown:
        raise GraphQLWrong(f"variables are sent and not declared: {sorted(unknown)}")


def variables_coerce(schema, operation, given):
    """The variables as the operation declares them; those left out stay out."""
    result = {}
    for name, variable in operation.variables.items():
        if name in given:
            result[name] = coerce(schema, variable.type, given[name], {}, f"${name}")
        elif variable.has_default:
            result[name] = coerce(schema, variable.type, variable.default, {}, f"${name}")
        elif variable.type.required:
            raise GraphQLWrong(f"${name} of type {variable.type} was not sent")
    return result
