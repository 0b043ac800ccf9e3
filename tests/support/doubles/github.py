"""GitHub: commit statuses, check runs, and comments of issues and pull requests.

What: checks of headers, tokens and bodies, GitHub's errors, the objects by repository.
Why: each of the three is limited in its own unit (characters, bytes) and its own kind of token.
What it does not do: webhooks, apps' token exchange, GraphQL, deletion.
Source: README.md, "Forges". Stricter than GitHub: Accept and X-GitHub-Api-Version must be sent.
Limits of actions and names of annotation members are GitHub's documented ones.
"""

import hashlib
import re
import time

import shape
from exchange import Answer, Rejected, json_read
from forge_paging import BadPage, page_of
from shape import Choice, List, Maybe, Record, Text, Whole

APP_TOKEN, USER_TOKEN, READ_TOKEN = "ghs_app0token", "ghp_user0token", "ghs_fork0token"
# Token: login, what it may write, what GitHub says about the rest.
TOKENS = {
    APP_TOKEN: ("stepledger[bot]", ("status", "check", "comment"), ""),
    USER_TOKEN: ("ada", ("status", "comment"), "You must authenticate via a GitHub App."),
    READ_TOKEN: ("github-actions[bot]", (), "Resource not accessible by integration"),
}
REPOSITORY, ISSUES = "acme/train", (7, 8)
# What anybody may read; of the other one a stranger hears that there is none.
OPEN_REPOSITORY = "acme/open"
# It was renamed: the old path answers with where it is now, by number.
FORMER, BY_NUMBER = "/repos/acme/former/", "/repositories/17/"
UNKNOWN_COMMIT = "0" * 40
HEADERS = {"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"}
STATUSES_HIGH, CHECK_RUNS_HIGH, ANNOTATIONS = 1000, 1000, 50
URL = shape.WEB_ADDRESS
COMMENT = Record("body", {"body": Text(65_536)})
STATUS = Record("state", {
    "state": Choice("error", "failure", "pending", "success"), "target_url": Maybe(URL),
    "description": Maybe(Text(140, low=0)), "context": Text(255),
})
ANNOTATION = Record("path start_line end_line annotation_level message", {
    "path": Text(), "start_line": Whole(1), "end_line": Whole(1), "start_column": Whole(1),
    "end_column": Whole(1), "annotation_level": Choice("notice", "warning", "failure"),
    "message": Text(64 << 10, unit="bytes"), "title": Text(255),
    "raw_details": Text(64 << 10, unit="bytes"),
})
OUTPUT = Record("title summary", {
    "title": Text(255), "summary": Text(65_535, unit="bytes"),
    "text": Text(65_535, low=0, unit="bytes"), "annotations": List(ANNOTATION, ANNOTATIONS),
})
ACTION = Record("label description identifier", {
    "label": Text(20), "description": Text(40), "identifier": Text(20)})


def check_conclusion(run):
    if "conclusion" in run and run.get("status", "completed") != "completed":
        return f"conclusion with status {run['status']}"
    if run.get("status") == "completed" and "conclusion" not in run:
        return "status completed without conclusion"
    return None


CHECK = {
    "name": Text(255), "external_id": Text(255, low=0), "details_url": URL,
    "status": Choice("queued", "in_progress", "completed"), "started_at": shape.TIME,
    "conclusion": Choice("success", "failure", "neutral", "cancelled", "skipped", "timed_out",
                         "action_required"),
    "completed_at": shape.TIME, "output": OUTPUT, "actions": List(ACTION, 3),
}
NEW_CHECK = Record("name head_sha", {**CHECK, "head_sha": Text(pattern=r"[0-9a-f]{40}")},
                   check_conclusion)
CHANGED_CHECK = Record("", CHECK, check_conclusion)


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class GitHub:
    """The forge; `prefix` paths of an own server (/api/v3) are stripped before routing."""

    def __init__(self, base_url):
        self.base_url, self.made = base_url, 0
        self.statuses, self.checks, self.comments = [], {}, {}
        repository = r"/repos/([\w.-]+/[\w.-]+)"
        self.routes = [
            ("POST", repository + r"/statuses/([0-9a-f]{40})", self.post_status),
            ("POST", repository + r"/check-runs", self.post_check),
            ("PATCH", repository + r"/check-runs/(\d+)", self.patch_check),
            ("GET", repository + r"/commits/([0-9a-f]{40})/check-runs", self.list_checks),
            ("GET", repository + r"/issues/(\d+)/comments", self.list_comments),
            ("POST", repository + r"/issues/(\d+)/comments", self.post_comment),
            ("PATCH", repository + r"/issues/comments/(\d+)", self.patch_comment),
            ("GET", repository + r"/compare/([0-9A-Fa-f]+)\.\.\.([0-9A-Fa-f]+)", self.compare),
            ("GET", r"/user", self.get_user),
        ]
        self.history = []  # of commits, oldest first

    def fail(self, why, status=422, message="Validation Failed"):
        body = {"message": message, "errors": [{"code": "custom", "message": "refused"}],
                "documentation_url": "https://docs.example.invalid/rest", "status": str(status)}
        raise Rejected(why, Answer(status, body, self.quota()))

    @staticmethod
    def quota(remaining=4999, reset_s=3600):
        return [("X-RateLimit-Limit", "5000"), ("X-RateLimit-Remaining", str(remaining)),
                ("X-RateLimit-Reset", str(int(time.time() + reset_s)))]

    def limited(self, status, wait_s):
        """403 and 429 mean a limit when the headers say so."""
        body = {"message": "You have exceeded a secondary rate limit."}
        if wait_s is None:
            return Answer(status, body, self.quota())
        return Answer(status, body, [*self.quota(), ("Retry-After", str(max(1, round(wait_s))))])

    def check_access(self, request, what=None):
        """The token's login; `what` is written, None when something is read."""
        if not (request.header("user-agent") or "").strip():
            self.fail("no User-Agent", 403, "Request forbidden by administrative rules.")
        header = request.header("authorization") or ""
        scheme, _, token = header.partition(" ")
        if scheme != "Bearer" or token not in TOKENS:
            self.fail("Authorization is not Bearer and a known token", 401, "Bad credentials")
        for name, value in HEADERS.items():
            if request.header(name) != value:
                self.fail(f"{name} is '{request.header(name)}', expected {value}", 400, "headers")
        login, writes, message = TOKENS[token]
        if what and what not in writes:
            self.fail(f"the token of {login} may not write a {what}", 403, message)
        return login

    def check_repository(self, repository, issue=None):
        if repository != REPOSITORY:
            self.fail(f"repository {repository} is unknown", 404, "Not Found")
        if issue is not None and int(issue) not in ISSUES:
            self.fail(f"issue {issue} is unknown", 404, "Not Found")

    def read(self, request, form):
        if request.media_type not in ("application/json", "application/vnd.github+json"):
            self.fail(f"Content-Type is '{request.header('content-type')}'", 415,
                      "Unsupported Media Type")
        try:
            body = json_read(request.body)
        except ValueError as error:
            self.fail(f"the body is no JSON: {error}", 400, "Problems parsing JSON")
        try:
            form.check(body)
        except shape.Wrong as wrong:
            self.fail(str(wrong))
        return body

    def number(self):
        self.made += 1
        return self.made

    def post_status(self, request, repository, sha):
        login = self.check_access(request, "status")
        self.check_repository(repository)
        body = {"context": "default", "description": None, "target_url": None,
                **self.read(request, STATUS)}
        if sha == UNKNOWN_COMMIT:
            self.fail(f"no commit {sha}", 422, f"No commit found for SHA: {sha}")
        same = [s for s in self.statuses if (s["sha"], s["context"]) == (sha, body["context"])]
        if len(same) >= STATUSES_HIGH:
            self.fail(f"{STATUSES_HIGH} statuses of this sha and context exist")
        held = {"id": self.number(), "sha": sha, "creator": {"login": login}, **body,
                "created_at": now()}
        self.statuses.append(held)
        return Answer(201, held, self.quota())

    def post_check(self, request, repository):
        self.check_access(request, "check")
        self.check_repository(repository)
        body = self.read(request, NEW_CHECK)
        if body["head_sha"] == UNKNOWN_COMMIT:
            self.fail(f"no commit {body['head_sha']}", 422,
                      f"No commit found for SHA: {body['head_sha']}")
        same = [c for c in self.checks.values()
                if (c["head_sha"], c["name"]) == (body["head_sha"], body["name"])]
        if len(same) >= CHECK_RUNS_HIGH:
            self.fail(f"{CHECK_RUNS_HIGH} check runs of this name exist")
        held = {"id": self.number(), "status": "queued", "conclusion": None, "annotations": []}
        self.checks[held["id"]] = held
        return Answer(201, self.change_check(held, body), self.quota())

    @staticmethod
    def change_check(held, body):
        """Members replace, annotations are appended, a conclusion completes."""
        output = dict(body.get("output", {}))
        held["annotations"] += output.pop("annotations", [])
        held.update({name: value for name, value in body.items() if name != "output"})
        held["output"] = {**held.get("output", {}), **output,
                          "annotations_count": len(held["annotations"])}
        if "conclusion" in body:
            held["status"] = "completed"
        return held

    def patch_check(self, request, repository, number):
        self.check_access(request, "check")
        self.check_repository(repository)
        held = self.checks.get(int(number))
        if held is None:
            self.fail(f"check run {number} is unknown", 404, "Not Found")
        body = self.read(request, CHANGED_CHECK)
        return Answer(200, self.change_check(held, body), self.quota())

    def page(self, request, items):
        try:
            return page_of(items, request, "github", self.base_url())
        except BadPage as error:
            return self.fail(str(error))

    def list_checks(self, request, repository, sha):
        self.check_access(request)
        self.check_repository(repository)
        name = request.parameter("check_name")
        found = [c for c in self.checks.values()
                 if c["head_sha"] == sha and name in (None, c["name"])]
        items, headers = self.page(request, found[::-1])
        return Answer(200, {"total_count": len(found), "check_runs": items},
                      [*headers, *self.quota()])

    def place_of(self, sha):
        """Where the commit stands in the history; a part of its name is enough."""
        found = [i for i, commit in enumerate(self.history) if commit["sha"].startswith(sha)]
        if len(found) != 1 or len(sha) < 7:
            self.fail(f"no commit {sha}", 404, "Not Found")
        return found[0]

    def compare(self, request, repository, base, head):
        """The commits of head that base lacks, oldest first; files on the first page alone."""
        if request.header("authorization") is not None:
            self.check_access(request)
        elif repository != OPEN_REPOSITORY:
            self.fail("a stranger asks", 404, "Not Found")
        if repository != OPEN_REPOSITORY:
            self.check_repository(repository)
        for name, value in HEADERS.items():
            if request.header(name) != value:
                self.fail(f"{name} is '{request.header(name)}', expected {value}", 400, "headers")
        if set(request.query) - {"page", "per_page"}:
            self.fail(f"what is {sorted(request.query)}")
        first, last = self.place_of(base), self.place_of(head)
        between = [{"sha": commit["sha"], "commit": {
            "message": commit["message"], "author": {"name": "ada", "date": now()}}}
            for commit in self.history[first + 1:last + 1]]
        items, headers = self.page(request, between)
        files = [{"filename": "train.py", "patch": "@@ -1 +1 @@"}]
        return Answer(200, {
            "status": "ahead" if last > first else "behind" if last < first else "identical",
            "ahead_by": len(between), "behind_by": max(0, first - last),
            "total_commits": len(between), "commits": items,
            **({"files": files} if request.query.get("page", ["1"]) == ["1"] else {})},
            [*headers, *self.quota()])

    def comment_add(self, issue, login, body):
        number = self.number()
        kind = "Bot" if login.endswith("[bot]") else "User"
        user_id = int(hashlib.sha256(login.encode()).hexdigest()[:8], 16)
        self.comments[number] = {
            "id": number, "issue": int(issue), "body": body, "created_at": now(),
            "updated_at": now(), "user": {"login": login, "id": user_id, "type": kind}}
        return self.comments[number]

    def list_comments(self, request, repository, issue):
        self.check_access(request)
        self.check_repository(repository, issue)
        found = [c for c in self.comments.values() if c["issue"] == int(issue)]
        items, headers = self.page(request, found)
        return Answer(200, items, [*headers, *self.quota()])

    def post_comment(self, request, repository, issue):
        login = self.check_access(request, "comment")
        self.check_repository(repository, issue)
        body = self.read(request, COMMENT)
        return Answer(201, self.comment_add(issue, login, body["body"]), self.quota())

    def patch_comment(self, request, repository, number):
        login = self.check_access(request, "comment")
        self.check_repository(repository)
        held = self.comments.get(int(number))
        if held is None:
            self.fail(f"comment {number} is unknown", 404, "Not Found")
        body = self.read(request, COMMENT)
        if held["user"]["login"] != login:
            self.fail(f"comment {number} is of {held['user']['login']}, not of {login}", 403,
                      "Must have admin rights to Repository.")
        held.update(body=body["body"], updated_at=now())
        return Answer(200, held, self.quota())

    def get_user(self, request):
        login = self.check_access(request)
        if login.endswith("[bot]"):
            self.fail("apps have no user", 403, "Resource not accessible by integration")
        return Answer(200, {"login": login, "type": "User"}, self.quota())

    def plant(self, seed):
        """{"comments": [{"issue": 7, "login": "mallory", "body": "..."}],
        "history": [{"sha": "...", "message": "..."}]}: oldest first"""
        self.history = list(seed.get("history", self.history))
        for item in seed.get("comments", ()):
            self.comment_add(item["issue"], item["login"], item["body"])

    def state(self):
        return {"statuses": self.statuses, "check_runs": list(self.checks.values()),
                "comments": list(self.comments.values())}


PREFIX = re.compile(r"^/api/v3(?=/)")
