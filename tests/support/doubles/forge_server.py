#!/usr/bin/env python3
"""Strict stand-ins for GitHub and GitLab on one port, told apart by path.

What: GitHub at / and at /api/v3 (an own server's base), GitLab at /api/v4; with --rate, writes
that come too fast are limited.
Why: the two differ in errors, limits and tokens, and a client must not mix them.
What it does not do: the rules are in github.py and gitlab.py; git itself is not here.
Source: README.md, "Forges"; it lists tokens, repositories and what each one checks, too.
"""

import re

import double
import github
import gitlab
from exchange import Answer, Rejected

WRITES = ("POST", "PATCH", "PUT")
GITHUB, GITLAB = "github", "gitlab"


class ForgeService(double.Service):
    """Both forges."""

    quirks = {"gitlab-idempotent": "GitLab accepts the state that a status already has"}

    def __init__(self, options):
        super().__init__(options)
        self.forges = {GITHUB: github.GitHub(self.url),
                       GITLAB: gitlab.GitLab(self.url, "gitlab-idempotent" in self.chosen)}
        self.routes = [(method, re.compile(pattern), handler)
                       for forge in self.forges.values()
                       for method, pattern, handler in forge.routes]

    @staticmethod
    def name_of(request):
        return GITLAB if request.path.startswith("/api/v4/") else GITHUB

    def operations(self, request):
        return (self.name_of(request),)

    def destination(self, request):
        """Secondary limits are on writes; a wait that was asked for holds for a whole forge."""
        return self.name_of(request)

    def is_counted(self, request):
        return request.method in WRITES

    def refusal(self, request, status, wait_s):
        if status in (403, 429):
            return self.forges[self.name_of(request)].limited(status, wait_s)
        return super().refusal(request, status, wait_s)

    def answer(self, request):
        path = github.PREFIX.sub("", request.path)
        if path.startswith(github.FORMER):
            moved = request.target.replace(github.FORMER, github.BY_NUMBER, 1)
            place = self.url() + moved
            return Answer(301, {"message": "Moved Permanently", "url": place},
                          [("Location", place)])
        if path.startswith(github.BY_NUMBER):
            path = path.replace(github.BY_NUMBER, f"/repos/{github.REPOSITORY}/", 1)
        methods = []
        for method, pattern, handler in self.routes:
            match = pattern.fullmatch(path)
            if match and method == request.method:
                return handler(request, *match.groups())
            methods += [method] if match else []
        raise Rejected(f"{request.method} {request.path}: " + (
            f"only {methods}" if methods else "there is nothing"),
            Answer(404, {"message": "Not Found"}))

    def state(self):
        return {name: forge.state() for name, forge in self.forges.items()}

    def control(self, name, document):
        """seed: comments and notes of others, say with a pasted marker."""
        if name != "seed":
            return super().control(name, document)
        for forge in self.forges:
            self.forges[forge].plant(document.get(forge, {}))


if __name__ == "__main__":
    double.main(ForgeService, __doc__)
