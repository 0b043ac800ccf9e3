"""Answers a checked GraphQL request.

What: walks the selections and asks the views for values. A view is a dict from field name to a
value or to a function of the field's arguments; "__typename" tells the type of a union's member.
Why: the answer holds the fields that were asked for and nothing else, as the real one does.
What it does not do: it validates nothing (graphql_check.py) and runs nothing in parallel.
Source: the GraphQL specification, October 2021, section 6.
"""

from graphql_check import CONDITION, coerce
from graphql_text import Field, Inline


class Runner:
    """One request: a schema, its fragments and the values of its variables."""

    def __init__(self, schema, fragments, variables):
        self.schema, self.fragments, self.variables = schema, fragments, variables

    def is_wanted(self, directives):
        for directive in directives:
            value = coerce(self.schema, CONDITION, directive.arguments["if"], self.variables, "@if")
            if value == (directive.name == "skip"):
                return False
        return True

    def fields(self, owner, selections):
        """(key, [field, ...]) in the order of the document, fragments resolved."""
        found = {}
        for item in selections:
            if not self.is_wanted(item.directives):
                continue
            if isinstance(item, Field):
                found.setdefault(item.key, []).append(item)
                continue
            part = item if isinstance(item, Inline) else self.fragments[item.name]
            if part.on in (None, owner):
                for key, items in self.fields(owner, part.selections).items():
                    found.setdefault(key, []).extend(items)
        return found

    def arguments(self, owner, field):
        definition = self.schema.field(owner, field.name)
        result = {}
        for name, argument in definition.arguments.items():
            place = f"{owner}.{field.name}({name})"
            given = field.arguments.get(name, argument.default)
            result[name] = coerce(self.schema, argument.type, given, self.variables, place)
        return result

    def select(self, owner, selections, view):
        """The selected fields of one view as JSON."""
        owner = view.get("__typename", owner)
        return {key: self.resolve(owner, items, view)
                for key, items in self.fields(owner, selections).items()}

    def resolve(self, owner, items, view):
        first = items[0]
        if first.name == "__typename":
            return owner
        value = view[first.name]
        if callable(value):
            value = value(**self.arguments(owner, first))
        selections = [item for field in items for item in field.selections]
        return self.complete(self.schema.field(owner, first.name).type.leaf, selections, value)

    def complete(self, leaf, selections, value):
        if isinstance(value, list):
            return [self.complete(leaf, selections, item) for item in value]
        if value is None or not selections:
            return value
        return self.select(leaf, selections, value)
