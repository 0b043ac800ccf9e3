"""The GraphQL language: text in, a tree out.

What: a lexer and a parser for request documents (operations and fragments) and for the part of
the schema language that our table of types needs.
Why: a service refuses a whole document for one unknown field; so must its double, and for that
the text has to be read, not searched.
What it does not do: it knows no types of any service; graphql_check.py judges, graphql_run.py
answers. Subscriptions and schema extensions are refused.
Source of the grammar: the GraphQL specification, October 2021, section 2 and appendix B.
"""

import re
from typing import NamedTuple, Optional

TOKEN = re.compile(r'''
    (?P<blank>[\s,\ufeff]+|\#[^\n\r]*)
  | (?P<name>[_A-Za-z][_0-9A-Za-z]*)
  | (?P<float>-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))
  | (?P<int>-?(?:0|[1-9]\d*))(?![\w.])
  | (?P<block>"""(?:\\"""|[^"]|"(?!""))*""")
  | (?P<text>"(?:[^"\\\n\r]|\\u[0-9A-Fa-f]{4}|\\["\\/bfnrt])*")
  | (?P<mark>\.\.\.|[!$&()\[\]{}:=@|])
''', re.X)
ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
DEPTH_LIMIT = 32


class GraphQLSyntax(Exception):
    """The text is no GraphQL; the message says where."""


class Variable(NamedTuple):
    name: str


class Enum(NamedTuple):
    name: str


class Type(NamedTuple):
    """`item` is set for lists, `name` for everything else."""

    name: Optional[str]
    item: Optional["Type"]
    required: bool

    def __str__(self):
        return (f"[{self.item}]" if self.item else self.name) + ("!" if self.required else "")

    @property
    def leaf(self):
        """The name of the innermost type."""
        return self.item.leaf if self.item else self.name


class Directive(NamedTuple):
    name: str
    arguments: dict


class Field(NamedTuple):
    key: str  # under which the answer appears
    name: str
    arguments: dict
    directives: list
    selections: list


class Spread(NamedTuple):
    name: str
    directives: list


class Inline(NamedTuple):
    on: Optional[str]
    directives: list
    selections: list


class Fragment(NamedTuple):
    name: str
    on: str
    selections: list


class Input(NamedTuple):
    """A variable, an argument or an input field; `has_default` because null is a default too."""

    name: str
    type: Type
    default: object
    has_default: bool
    needs: Optional[str]  # a feature of the server


class Operation(NamedTuple):
    kind: str
    name: Optional[str]
    variables: dict
    selections: list


class Output(NamedTuple):
    name: str
    type: Type
    arguments: dict
    needs: Optional[str]


class TypeDefinition(NamedTuple):
    kind: str  # type, input, enum, scalar, union
    name: str
    fields: dict  # of types and inputs
    members: list  # of enums and unions


def tokens_of(text):
    tokens, place = [], 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if not match:
            raise GraphQLSyntax(f"unexpected {text[place:place + 20]!r} at {place}")
        if match.lastgroup != "blank":
            tokens.append((match.lastgroup, match[0], place))
        place = match.end()
    return tokens + [("end", "", place)]


def text_value(token):
    return re.sub(r"\\(u([0-9A-Fa-f]{4})|.)",
                  lambda m: chr(int(m[2], 16)) if m[2] else ESCAPES.get(m[1], m[1]), token[1:-1])


class Parser:
    """Reads tokens from left to right; one method per rule of the grammar."""

    def __init__(self, text):
        self.tokens, self.at, self.depth = tokens_of(text), 0, 0

    @property
    def kind(self):
        return self.tokens[self.at][0]

    @property
    def text(self):
        return self.tokens[self.at][1]

    def fail(self, expected):
        place = self.tokens[self.at][2]
        raise GraphQLSyntax(f"expected {expected}, found '{self.text}' at {place}")

    def take(self, *texts):
        """Whether the next token is one of these; it is then consumed."""
        if self.text not in texts or self.kind in ("text", "block"):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def expect(self, text):
        if not self.take(text):
            self.fail(f"'{text}'")

    def name(self):
        if self.kind != "name":
            self.fail("a name")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def many(self, opening, closing, rule, low=1):
        """The items between two marks."""
        self.expect(opening)
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            self.fail(f"at most {DEPTH_LIMIT} levels")
        items = []
        while not self.take(closing):
            items.append(rule())
        if len(items) < low:
            self.fail("at least one item")
        self.depth -= 1
        return items

    def named(self, items):
        found = {item.name: item for item in items}
        if len(found) != len(items):
            self.fail("no name twice")
        return found

    def value(self):
        kind, token = self.kind, self.text
        if self.take("$"):
            return Variable(self.name())
        if kind == "mark" and token == "[":
            return self.many("[", "]", self.value, low=0)
        if kind == "mark" and token == "{":
            return self.pairs("{", "}", low=0)
        self.at += 1
        readers = {"int": int, "float": float, "text": text_value, "block": lambda t: t[3:-3],
                   "name": lambda t: {"true": True, "false": False, "null": None}.get(t, Enum(t))}
        if kind not in readers:
            self.at -= 1
            self.fail("a value")
        return readers[kind](token)

    def pairs(self, opening, closing, low=1):
        def pair():
            name = self.name()
            self.expect(":")
            return name, self.value()
        items = self.many(opening, closing, pair, low)
        if len(dict(items)) != len(items):
            self.fail("no name twice")
        return dict(items)

    def arguments(self):
        return self.pairs("(", ")") if self.text == "(" else {}

    def directives(self):
        found = []
        while self.take("@"):
            found.append(Directive(self.name(), self.arguments()))
        return found

    def type(self):
        if self.take("["):
            item = self.type()
            self.expect("]")
            return Type(None, item, bool(self.take("!")))
        return Type(self.name(), None, bool(self.take("!")))

    def selections(self):
        return self.many("{", "}", self.selection)

    def selection(self):
        if self.take("..."):
            if self.kind == "name" and self.text != "on":
                return Spread(self.name(), self.directives())
            on = self.name() if self.take("on") else None
            return Inline(on, self.directives(), self.selections())
        key = name = self.name()
        if self.take(":"):
            name = self.name()
        return Field(key, name, self.arguments(), self.directives(),
                     self.selections() if self.text == "{" else [])

    def needs(self):
        """The feature in @needs(FEATURE), our own mark in the table of types."""
        if not self.take("@"):
            return None
        self.expect("needs")
        self.expect("(")
        feature = self.name()
        self.expect(")")
        return feature

    def input(self):
        name = (self.expect("$") if self.text == "$" else None) or self.name()
        self.expect(":")
        kind = self.type()
        has_default = bool(self.take("="))
        default = self.value() if has_default else None
        return Input(name, kind, default, has_default, self.needs())

    def output(self):
        name = self.name()
        arguments = self.named(self.many("(", ")", self.input)) if self.text == "(" else {}
        self.expect(":")
        return Output(name, self.type(), arguments, self.needs())

    def operation(self, kind):
        name = self.name() if self.kind == "name" else None
        variables = self.named(self.many("(", ")", self.input)) if self.text == "(" else {}
        return Operation(kind, name, variables, self.selections())

    def definition(self):
        if self.text == "{":
            return Operation("query", None, {}, self.selections())
        kind = self.take("query", "mutation")
        if kind:
            return self.operation(kind)
        if not self.take("fragment"):
            self.fail("query, mutation or fragment")
        name = self.name()
        self.expect("on")
        return Fragment(name, self.name(), self.selections())

    def type_definition(self):
        kind = self.take("type", "input", "enum", "scalar", "union")
        if not kind:
            self.fail("type, input, enum, scalar or union")
        name = self.name()
        if kind in ("type", "input"):
            rule = self.output if kind == "type" else self.input
            return TypeDefinition(kind, name, self.named(self.many("{", "}", rule)), [])
        if kind == "enum":
            return TypeDefinition(kind, name, {}, self.many("{", "}", self.name))
        members = []
        if kind == "union":
            self.expect("=")
            members.append(self.name())
            while self.take("|"):
                members.append(self.name())
        return TypeDefinition(kind, name, {}, members)

    def all(self, rule):
        found = []
        while self.kind != "end":
            found.append(rule())
        return found


def document_parse(text):
    """(operations, fragments by name); raises GraphQLSyntax."""
    parser = Parser(text)
    found = parser.all(parser.definition)
    operations = [item for item in found if isinstance(item, Operation)]
    return operations, parser.named([item for item in found if isinstance(item, Fragment)])


def schema_parse(text):
    """Type definitions by name."""
    parser = Parser(text)
    return parser.named(parser.all(parser.type_definition))
