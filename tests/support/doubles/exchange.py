"""One HTTP exchange as the doubles see it: the request, the answer, and what makes a refusal.

What: plain data that the listeners fill and the services judge, a strict JSON reader, and the
rules that hold for every request to any outside service.
Why: a service's rules can then be read and tested without a socket.
What it does not do: it opens no connection and knows no service.
Source of the rules: README.md, "Rules for every request"; RFC 9110 and RFC 9112 for the rest.
"""

import json
import urllib.parse

SINGLE_HEADERS = ("authorization", "content-length", "content-type", "host", "user-agent")


class Request:
    """A request whose body was read to its end. `headers` keeps order and repeats, names in lower
    case; `number` counts the requests of the double, from 1."""

    def __init__(self, method, target, headers, body):
        self.method, self.target, self.body = method, target, body
        self.headers = [(name.lower(), value) for name, value in headers]
        self.path, _, self.query_text = target.partition("?")
        self.query = urllib.parse.parse_qs(self.query_text, keep_blank_values=True)
        self.number, self.listener, self.port = 0, "main", 0
        self.cache = {}  # what a service has already parsed out of this request

    def values(self, name):
        return [value for key, value in self.headers if key == name.lower()]

    def header(self, name):
        values = self.values(name)
        return values[0] if values else None

    def parameter(self, name):
        """The value of a query parameter, None when it is absent or repeated."""
        values = self.query.get(name, ())
        return values[0] if len(values) == 1 else None

    @property
    def media_type(self):
        return (self.header("content-type") or "").partition(";")[0].strip().lower()


class Answer:
    """What goes back. A dict or list as `body` becomes JSON."""

    def __init__(self, status=200, body=b"", headers=(), content_type=None):
        self.status, self.headers = status, list(headers)
        if isinstance(body, (dict, list)):
            content_type = content_type or "application/json; charset=utf-8"
            body = json.dumps(body, ensure_ascii=False).encode()
        elif isinstance(body, str):
            content_type = content_type or "text/plain; charset=utf-8"
            body = body.encode()
        self.body = body
        if content_type:
            self.headers.insert(0, ("Content-Type", content_type))


class Rejected(Exception):
    """The request breaks a rule. `answer` is what the real service would say: also a success where
    it accepts what it then loses or garbles."""

    def __init__(self, why, answer):
        super().__init__(why)
        self.why, self.answer = why, answer


def unique_members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member name occurs twice in one object")
    return members


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def json_read(data):
    """Strict JSON: UTF-8 without a byte order mark, no NaN, no repeated member, no half of a
    surrogate pair. Raises ValueError with a reason."""
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=unique_members,
                           parse_constant=refuse_constant)
        json.dumps(value, ensure_ascii=False).encode()
        return value
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start}") from error
    except UnicodeEncodeError as error:
        raise ValueError("half of a surrogate pair") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def has_absolute_target(request):
    return not request.target.startswith("/") and "the target is absolute: this is no proxy"


def has_cookie(request):
    return request.header("cookie") is not None and "a Cookie header was sent"


def has_repeated_header(request):
    for name in SINGLE_HEADERS:
        if len(request.values(name)) > 1:
            return f"{name} is sent {len(request.values(name))} times"
    return None


def has_foreign_host(request):
    host = request.header("host") or ""
    allowed = (f"127.0.0.1:{request.port}", f"localhost:{request.port}")
    return host not in allowed and f"Host is '{host}', this is {allowed[0]}"


def has_fragment(request):
    return "#" in request.target and "the target has a fragment"


COMMON_RULES = (has_absolute_target, has_cookie, has_repeated_header, has_foreign_host,
                has_fragment)


def check_common(request):
    """Raises Rejected when the request breaks a rule that holds for every service."""
    for rule in COMMON_RULES:
        why = rule(request)
        if why:
            raise Rejected(why, Answer(400, why))
