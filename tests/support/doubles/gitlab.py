"""GitLab: commit statuses and notes of merge requests.

What: checks of tokens and bodies, GitLab's errors, the states of a status.
Why: GitLab refuses the state that a status already has, with a text that a client must take for
success; this double does so unless the quirk says otherwise.
What it does not do: pipelines: a status lands on the one of its sha and ref.
Source: README.md, "Forges". Stricter than GitLab: bodies are JSON, unknown members are refused.
"""

import urllib.parse

import shape
from exchange import Answer, Rejected, json_read
from forge_paging import BadPage, page_of
from shape import Choice, Number, Record, Text, Whole

TOKENS = {"glpat-own0token": ("stepledger", 41), "glpat-other0token": ("ada", 42)}
PROJECT_ID, PROJECT_PATH, MERGE_REQUESTS, PIPELINES = "17", "acme/train", (5,), (900,)
UNKNOWN_COMMIT = "0" * 40
STATES = ("pending", "running", "success", "failed", "canceled", "skipped")
ENDED = ("success", "failed", "canceled", "skipped")
NOTE = Record("body", {"body": Text(1_000_000)})
STATUS = Record("state", {
    "state": Choice(*STATES), "ref": Text(255), "name": Text(255), "context": Text(255),
    "target_url": Text(255, pattern=r"https?://\S+"), "description": Text(255, low=0),
    "coverage": Number(0, 100), "pipeline_id": Whole(1),
}, lambda body: "name and context are the same thing" if {"name", "context"} <= set(body) else None)


class GitLab:
    """The forge."""

    def __init__(self, base_url, is_idempotent):
        self.base_url, self.is_idempotent, self.made = base_url, is_idempotent, 0
        self.statuses, self.notes = [], {}
        project = r"/api/v4/projects/([^/]+)"
        notes = project + r"/merge_requests/(\d+)/notes"
        self.routes = [
            ("POST", project + r"/statuses/([0-9a-f]{40})", self.post_status),
            ("GET", notes, self.list_notes),
            ("POST", notes, self.post_note),
            ("PUT", notes + r"/(\d+)", self.put_note),
            ("GET", project + r"/repository/compare", self.compare),
            ("GET", r"/api/v4/user", self.get_user),
        ]
        self.history = []  # of commits, oldest first

    def fail(self, why, status=400, message="400 Bad request"):
        raise Rejected(why, Answer(status, {"message": message}))

    def limited(self, status, wait_s):
        headers = [("RateLimit-Limit", "600"), ("RateLimit-Remaining", "0")]
        if wait_s is not None:
            headers.append(("Retry-After", str(max(1, round(wait_s)))))
        return Answer(status, "Retry later\n", headers)

    def check_access(self, request):
        """(login, id) of the token."""
        header = request.header("authorization")
        given = [request.header("private-token"), header and header.removeprefix("Bearer ")]
        tokens = [token for token in given if token is not None]
        if len(tokens) != 1 or tokens[0] not in TOKENS:
            self.fail("not exactly one known token", 401, "401 Unauthorized")
        return TOKENS[tokens[0]]

    def check_project(self, project, merge_request=None):
        if urllib.parse.unquote(project) not in (PROJECT_ID, PROJECT_PATH):
            self.fail(f"project {project} is unknown", 404, "404 Project Not Found")
        if merge_request is not None and int(merge_request) not in MERGE_REQUESTS:
            self.fail(f"merge request {merge_request} is unknown", 404, "404 Not found")

    def read(self, request, form):
        if request.media_type != "application/json":
            self.fail(f"Content-Type is '{request.header('content-type')}'", 415,
                      "The provided content-type is not supported.")
        try:
            body = json_read(request.body)
            form.check(body)
        except (ValueError, shape.Wrong) as error:
            self.fail(str(error))
        return body

    def number(self):
        self.made += 1
        return self.made

    def post_status(self, request, project, sha):
        login, user_id = self.check_access(request)
        self.check_project(project)
        body = self.read(request, STATUS)
        if sha == UNKNOWN_COMMIT:
            self.fail(f"no commit {sha}", 404, "404 Commit Not Found")
        if body.get("pipeline_id", PIPELINES[0]) not in PIPELINES:
            self.fail(f"pipeline {body['pipeline_id']} is unknown", 404, "404 Pipeline Not Found")
        name = body.pop("context", None) or body.pop("name", "default")
        held = self.status_find(sha, name, body.get("ref"))
        if held is None or (held["status"] in ENDED and held["status"] != body["state"]):
            held = {"id": self.number(), "sha": sha, "name": name, "ref": body.get("ref"),
                    "author": {"username": login, "id": user_id}, "status": None, "history": []}
            self.statuses.append(held)
        self.check_transition(held["status"], body["state"])
        held.update({member: value for member, value in body.items() if member != "state"})
        held["status"] = body["state"]
        held["history"].append(body["state"])
        return Answer(201, held)

    def status_find(self, sha, name, ref):
        found = [s for s in self.statuses if (s["sha"], s["name"], s["ref"]) == (sha, name, ref)]
        return found[-1] if found else None

    def check_transition(self, old, new):
        is_same = old == new and not self.is_idempotent
        if is_same or (old == "running" and new == "pending"):
            raise Rejected(f"the status is {old}, {new} is no transition", Answer(
                400, {"message": f"Cannot transition status via :{new} from :{old}"}))

    def place_of(self, sha):
        found = [i for i, commit in enumerate(self.history) if commit["sha"].startswith(sha or "?")]
        if len(found) != 1:
            self.fail(f"no commit {sha}", 404, "404 Commit Not Found")
        return found[0]

    def compare(self, request, project):
        """All commits of `to` that `from` lacks, oldest first; the newest again as `commit`."""
        self.check_access(request)
        self.check_project(project)
        if set(request.query) != {"from", "to"}:
            self.fail(f"from and to, not {sorted(request.query)}")
        first, last = (self.place_of(request.parameter(name)) for name in ("from", "to"))
        between = [{"id": commit["sha"], "short_id": commit["sha"][:8],
                    "title": commit["message"].partition("\n")[0], "message": commit["message"]}
                   for commit in self.history[first + 1:last + 1]]
        return Answer(200, {"commit": between[-1] if between else None, "commits": between,
                            "diffs": [{"new_path": "train.py", "diff": "@@ -1 +1 @@"}],
                            "compare_timeout": False, "compare_same_ref": first == last})

    def note_add(self, merge_request, author, body):
        number = self.number()
        self.notes[number] = {"id": number, "iid": int(merge_request), "body": body,
                              "author": {"username": author[0], "id": author[1]}, "system": False}
        return self.notes[number]

    def list_notes(self, request, project, merge_request):
        self.check_access(request)
        self.check_project(project, merge_request)
        found = [n for n in self.notes.values() if n["iid"] == int(merge_request)]
        try:
            items, headers = page_of(found[::-1], request, "gitlab", self.base_url())
        except BadPage as error:
            self.fail(str(error))
        return Answer(200, items, headers)

    def post_note(self, request, project, merge_request):
        author = self.check_access(request)
        self.check_project(project, merge_request)
        body = self.read(request, NOTE)
        return Answer(201, self.note_add(merge_request, author, body["body"]))

    def put_note(self, request, project, merge_request, number):
        author = self.check_access(request)
        self.check_project(project, merge_request)
        held = self.notes.get(int(number))
        if held is None or held["iid"] != int(merge_request):
            self.fail(f"note {number} is unknown", 404, "404 Not found")
        body = self.read(request, NOTE)
        if held["author"]["id"] != author[1]:
            self.fail(f"note {number} is of {held['author']['username']}", 403, "403 Forbidden")
        held["body"] = body["body"]
        return Answer(200, held)

    def get_user(self, request):
        login, user_id = self.check_access(request)
        return Answer(200, {"username": login, "id": user_id})

    def plant(self, seed):
        """{"notes": [{"merge_request": 5, "login": "mallory", "id": 66, "body": "..."}],
        "history": [{"sha": "...", "message": "..."}]}: oldest first"""
        self.history = list(seed.get("history", self.history))
        for item in seed.get("notes", ()):
            self.note_add(item["merge_request"], (item["login"], item["id"]), item["body"])

    def state(self):
        return {"statuses": self.statuses, "notes": list(self.notes.values())}
