"""What the chat receivers have in common: reading a JSON body, and the form of a refusal.

What: a base class for one receiver, with its routes; chat_server.py hosts all of them on one port.
Why: each receiver is then a table of limits and its own words for errors.
What it does not do: it holds no limits itself.
"""

from exchange import Answer, Rejected, json_read


class Receiver:
    """One chat service. `routes` is a list of (method, pattern of the path, handler)."""

    def __init__(self, options):
        self.options, self.routes = options, []

    def fail(self, why, status=400, code=None):
        """Raises Rejected with the error in the service's own form; `code` is the service's."""
        raise Rejected(why, Answer(status, code or "error"))

    def limited(self, wait_s):
        """The service's 429."""
        return Answer(429, {"message": "rate limited"}, [("Retry-After", f"{round(wait_s + 0.5)}")])

    def refuse_authorization(self, request):
        """A webhook's address is its credential; another one would be sent to the wrong house."""
        if request.header("authorization") is not None:
            self.fail("an Authorization header was sent to a webhook")

    def json_body(self, request, code=None):
        """The body, when it is declared as JSON and is."""
        if request.media_type != "application/json":
            self.fail(f"Content-Type is '{request.header('content-type')}'", 400, code)
        try:
            return json_read(request.body)
        except ValueError as error:
            return self.fail(f"the body is no JSON: {error}", 400, code)

    def state(self):
        return {}
