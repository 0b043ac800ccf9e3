"""Checks the GitHub and GitLab doubles: a golden request for each call, one rejection per rule."""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "doubles"))

from case import DoubleCase

SHA = "a1" * 20
STATUS = f"/repos/acme/train/statuses/{SHA}"
CHECKS = "/repos/acme/train/check-runs"
COMMENTS = "/repos/acme/train/issues/7/comments"
LAB_STATUS = f"/api/v4/projects/acme%2Ftrain/statuses/{SHA}"
NOTES = "/api/v4/projects/17/merge_requests/5/notes"
TIME = "2026-01-05T06:00:00Z"
GITHUB = {"Authorization": "Bearer ghs_app0token", "Accept": "application/vnd.github+json",
          "X-GitHub-Api-Version": "2022-11-28", "User-Agent": "stepledger",
          "Content-Type": "application/json"}


class ForgeCase(DoubleCase):
    script = "forge_server.py"


class GitHubCase(ForgeCase):
    headers = GITHUB


class GitHubAccess(GitHubCase):
    def test_headers_are_required(self):
        for name, status, why in (("User-Agent", 403, "User-Agent"),
                                  ("Authorization", 401, "Bearer"), ("Accept", 400, "accept"),
                                  ("X-GitHub-Api-Version", 400, "x-github-api-version"),
                                  ("Content-Type", 415, "Content-Type")):
            with self.subTest(name):
                # http.client sends no User-Agent of its own.
                self.reject(why, STATUS, {"state": "success"}, status, headers={name: None})

    def test_tokens_of_people_write_no_check_runs_and_forks_write_nothing(self):
        user = {"Authorization": "Bearer ghp_user0token"}
        fork = {"Authorization": "Bearer ghs_fork0token"}
        self.accept(STATUS, {"state": "success"}, 201, headers=user)
        self.reject("may not write a check", CHECKS, {"name": "n", "head_sha": SHA}, 403,
                    headers=user)
        for path, body in ((STATUS, {"state": "success"}), (COMMENTS, {"body": "x"})):
            reply = self.reject("may not write", path, body, 403, headers=fork)
            self.assertIn("not accessible", reply.json["message"])
        self.accept(COMMENTS, method="GET", headers=fork)

    def test_an_own_server_has_the_same_api_below_its_base(self):
        self.accept("/api/v3" + STATUS, {"state": "success"}, 201)

    def test_users_have_a_login_and_apps_have_none(self):
        self.reject("apps have no user", "/user", status=403, method="GET")
        reply = self.accept("/user", method="GET",
                            headers={"Authorization": "Bearer ghp_user0token"})
        self.assertEqual(reply.json["login"], "ada")

    def test_limits_speak_through_headers(self):
        self.double.faults({"fault": "status", "status": 403, "retry_after": 0.1, "pause_s": 0,
                            "times": 1})
        reply = self.send(STATUS, {"state": "success"})
        self.assertEqual((reply.status, reply.headers["Retry-After"]), (403, "0.1"))
        self.double.faults({"fault": "status", "status": 403, "times": 1,
                            "headers": {"X-RateLimit-Remaining": "0"}, "pause_s": 0})
        self.assertIn("rate limit", self.send(STATUS, {"state": "success"}).json["message"])

    def test_unknown_repositories_issues_and_paths_are_not_found(self):
        self.reject("unknown", f"/repos/x/y/statuses/{SHA}", {"state": "success"}, 404)
        self.reject("issue 99", "/repos/acme/train/issues/99/comments", {"body": "x"}, 404)
        self.reject("only", STATUS, {}, 404, method="PUT")
        self.reject("nothing", "/repos/acme", {}, 404)


class CommitStatus(GitHubCase):
    body = {"state": "failure", "description": "ü" * 140, "context": "stepledger/gate",
            "target_url": "https://x.example/v1"}

    def test_accepts_a_status_and_keeps_every_one(self):
        self.assertEqual(self.accept(STATUS, self.body, 201).json["creator"]["login"],
                         "stepledger[bot]")

    def test_rejects_what_github_would(self):
        for why, changes in (("141 characters, at most 140", {"description": "x" * 141}),
                             ("'failed'", {"state": "failed"}), ("256", {"context": "x" * 256}),
                             ("target_url", {"target_url": "x.example"}),
                             ("unknown here", {"name": "x"})):
            with self.subTest(why):
                self.reject(why, STATUS, {**self.body, **changes}, 422)
        self.reject("no commit", f"/repos/acme/train/statuses/{'0' * 40}", self.body, 422)

    def test_a_thousand_statuses_of_one_context_are_enough(self):
        path = f"/repos/acme/train/statuses/{'b2' * 20}"
        for _ in range(1000):
            self.assertEqual(self.send(path, {"state": "pending", "context": "many"}).status, 201)
        self.reject("1000 statuses", path, {"state": "pending", "context": "many"}, 422)


class CheckRun(GitHubCase):
    annotation = {"path": "a.py", "start_line": 1, "end_line": 1, "annotation_level": "warning",
                  "message": "m"}
    body = {"name": "stepledger", "head_sha": SHA, "external_id": "alert-1", "status": "completed",
            "conclusion": "failure", "completed_at": TIME, "details_url": "https://x.example/",
            "output": {"title": "t", "summary": "ü" * 32_767, "text": "x" * 65_535,
                       "annotations": [annotation] * 50},
            "actions": [{"label": "a", "description": "b", "identifier": "c"}]}

    def test_a_run_is_made_updated_and_found_by_name(self):
        number = self.accept(CHECKS, {"name": "found", "head_sha": SHA, "external_id": "e1",
                                      "status": "in_progress"}, 201).json["id"]
        for _ in range(2):
            self.accept(f"{CHECKS}/{number}", method="PATCH", body={
                "output": {"title": "t", "summary": "s", "annotations": [self.annotation] * 50}})
        self.accept(f"{CHECKS}/{number}", {"conclusion": "neutral"}, method="PATCH")
        listed = self.accept(f"/repos/acme/train/commits/{SHA}/check-runs?check_name=found",
                             method="GET").json
        self.assertEqual([(r["external_id"], r["status"], r["conclusion"],
                           r["output"]["annotations_count"]) for r in listed["check_runs"]],
                         [("e1", "completed", "neutral", 100)])

    def test_texts_are_counted_in_bytes(self):
        self.accept(CHECKS, self.body, 201)
        for name, text in (("summary", "ü" * 32_768), ("text", "x" * 65_536)):
            output = {**self.body["output"], name: text}
            self.reject("65536 bytes, at most 65535", CHECKS, {**self.body, "output": output}, 422)

    def test_rejects_what_github_would(self):
        output = self.body["output"]
        for why, changes in (
                ("51 items", {"output": {**output, "annotations": [self.annotation] * 51}}),
                ("output.title", {"output": {"summary": "s"}}),
                ("4 items", {"actions": self.body["actions"] * 4}),
                ("'error'", {"conclusion": "error"}), ("head_sha", {"head_sha": "abc"}),
                ("conclusion with status", {"status": "in_progress"}),
                ("completed_at", {"completed_at": "yesterday"})):
            with self.subTest(why):
                self.reject(why, CHECKS, {**self.body, **changes}, 422)
        incomplete = {name: value for name, value in self.body.items() if name != "conclusion"}
        self.reject("without conclusion", CHECKS, incomplete, 422)
        self.reject("unknown", CHECKS + "/99999", {}, 404, method="PATCH")
        self.reject("no JSON", CHECKS, b"{", 400)
        self.reject("no commit", CHECKS, {**self.body, "head_sha": "0" * 40}, 422)

    def test_a_thousand_runs_of_one_name_are_enough(self):
        body = {"name": "many", "head_sha": "c3" * 20}
        for _ in range(1000):
            self.assertEqual(self.send(CHECKS, body).status, 201)
        self.reject("1000 check runs", CHECKS, body, 422)


class Comments(GitHubCase):
    def test_pages_are_linked_until_the_last_one(self):
        self.double.control("seed", github={"comments": [
            {"issue": 8, "login": "ada", "body": f"c{n}"} for n in range(5)]})
        path, seen = "/repos/acme/train/issues/8/comments?per_page=2", []
        while path:
            reply = self.accept(path, method="GET")
            seen += [comment["body"] for comment in reply.json]
            link = re.search(r'<([^>]+)>; rel="next"', reply.headers.get("Link", ""))
            path = link and link[1].removeprefix(self.double.url())
        self.assertEqual(seen, [f"c{n}" for n in range(5)])

    def test_an_own_comment_is_edited_and_that_of_another_is_not(self):
        own = self.accept(COMMENTS, {"body": "<!-- perfalert:v1 key=a -->"}, 201).json
        self.accept("/repos/acme/train/issues/comments/%d" % own["id"], {"body": "new"},
                    method="PATCH")
        self.double.control("seed", github={"comments": [
            {"issue": 7, "login": "mallory", "body": "<!-- perfalert:v1 key=a -->"}]})
        other = self.accept(COMMENTS + "?per_page=100", method="GET").json[-1]
        self.assertEqual(other["user"]["login"], "mallory")
        self.reject("of mallory", "/repos/acme/train/issues/comments/%d" % other["id"],
                    {"body": "x"}, 403, method="PATCH")

    def test_bodies_are_counted_in_characters(self):
        self.accept(COMMENTS, {"body": "ü" * 65_536}, 201)
        self.reject("65537 characters", COMMENTS, {"body": "x" * 65_537}, 422)
        self.reject("at least 1", COMMENTS, {"body": ""}, 422)

    def test_pages_have_limits(self):
        for query in ("per_page=101", "page=0", "page=x"):
            self.reject("expected 1 to", f"{COMMENTS}?{query}", status=422, method="GET")


class GitLabStatus(ForgeCase):
    headers = {"PRIVATE-TOKEN": "glpat-own0token", "Content-Type": "application/json"}
    body = {"state": "running", "name": "stepledger", "ref": "main", "pipeline_id": 900,
            "description": "x" * 255, "target_url": "https://x.example/", "coverage": 1.5}

    def test_a_status_runs_and_ends(self):
        for state in ("pending", "running", "failed"):
            self.accept(LAB_STATUS, {**self.body, "state": state, "name": "life"}, 201)

    def test_the_same_state_again_and_a_way_back_are_refused_with_the_known_text(self):
        self.accept(LAB_STATUS, {**self.body, "name": "again"}, 201)
        for state in ("running", "pending"):
            reply = self.reject("no transition", LAB_STATUS,
                                {**self.body, "name": "again", "state": state})
            self.assertIn("Cannot transition status", reply.json["message"])

    def test_rejects_what_gitlab_would(self):
        for why, changes in (("'error'", {"state": "error"}), ("256", {"description": "x" * 256}),
                             ("coverage", {"coverage": "1"}), ("same thing", {"context": "x"}),
                             ("unknown here", {"sha": "x"})):
            with self.subTest(why):
                self.reject(why, LAB_STATUS, {**self.body, **changes})
        self.reject("pipeline 1", LAB_STATUS, {**self.body, "pipeline_id": 1}, 404)
        self.reject("no commit", f"/api/v4/projects/17/statuses/{'0' * 40}", self.body, 404)
        self.reject("project x", f"/api/v4/projects/x/statuses/{SHA}", self.body, 404)
        self.reject("nothing", f"/api/v4/projects/acme/train/statuses/{SHA}", self.body, 404)

    def test_takes_one_token_in_either_header(self):
        bearer = {"PRIVATE-TOKEN": None, "Authorization": "Bearer glpat-own0token"}
        self.accept("/api/v4/user", method="GET", headers=bearer)
        for headers in ({"PRIVATE-TOKEN": None}, {"PRIVATE-TOKEN": "x"},
                        {"Authorization": "Bearer glpat-own0token"}):
            self.reject("one known token", LAB_STATUS, self.body, 401, headers=headers)


HISTORY = [{"sha": f"{n:040x}", "message": f"commit {n}\n\nwhy"} for n in range(1, 121)]


class Comparisons(ForgeCase):
    """Of the same history on both."""

    headers = GITHUB

    def setUp(self):
        super().setUp()
        self.double.control("seed", github={"history": HISTORY}, gitlab={"history": HISTORY})

    @staticmethod
    def of(after, until, page=1, repository="acme/train"):
        return (f"/repos/{repository}/compare/{after:040x}...{until:040x}"
                f"?per_page=100&page={page}")

    def test_github_has_them_oldest_first_in_pages(self):
        first = self.accept(self.of(10, 120), method="GET").json
        self.assertEqual((first["total_commits"], len(first["commits"]), "files" in first),
                         (110, 100, True))
        self.assertEqual(first["commits"][0]["sha"], HISTORY[10]["sha"])
        last = self.accept(self.of(10, 120, 2), method="GET").json
        self.assertEqual([c["sha"] for c in last["commits"]], [c["sha"] for c in HISTORY[110:]])
        self.assertNotIn("files", last)
        self.assertEqual(self.accept(self.of(20, 10), method="GET").json["status"], "behind")

    def test_github_tells_strangers_of_open_repositories_alone(self):
        stranger = {"Authorization": None}
        self.accept(self.of(1, 5, repository="acme/open"), method="GET", headers=stranger)
        self.reject("a stranger", self.of(1, 5), status=404, method="GET", headers=stranger)
        self.reject("no commit", self.of(1, 500), status=404, method="GET")
        self.reject("accept", self.of(1, 5), status=400, method="GET", headers={"Accept": None})

    def test_gitlab_has_all_of_them(self):
        place = "/api/v4/projects/acme%2Ftrain/repository/compare"
        token = {"Authorization": "Bearer glpat-own0token"}
        told = self.accept(f"{place}?from={1:040x}&to={120:040x}", method="GET",
                           headers=token).json
        self.assertEqual((len(told["commits"]), told["commit"]["id"], told["commits"][0]["title"]),
                         (119, HISTORY[-1]["sha"], "commit 2"))
        self.reject("no commit", f"{place}?from={1:040x}&to={500:040x}", status=404, method="GET",
                    headers=token)
        self.reject("from and to", f"{place}?from={1:040x}", status=400, method="GET",
                    headers=token)


class GitLabIdempotent(GitLabStatus):
    arguments = ("--quirk", "gitlab-idempotent")

    def test_the_same_state_again_and_a_way_back_are_refused_with_the_known_text(self):
        for _ in range(2):
            self.accept(LAB_STATUS, {**self.body, "name": "again"}, 201)


class GitLabNotes(ForgeCase):
    headers = GitLabStatus.headers

    def test_notes_are_listed_in_pages_and_only_own_ones_edited(self):
        own = self.accept(NOTES, {"body": "mine"}, 201).json
        self.double.control("seed", gitlab={"notes": [
            {"merge_request": 5, "login": "mallory", "id": 66, "body": "mine"}]})
        reply = self.accept(NOTES + "?per_page=1", method="GET")
        self.assertEqual((reply.json[0]["author"]["id"], reply.headers["X-Next-Page"]), (66, "2"))
        self.accept(f"{NOTES}/{own['id']}", {"body": "new"}, method="PUT")
        self.reject("of mallory", f"{NOTES}/{reply.json[0]['id']}", {"body": "x"}, 403,
                    method="PUT")

    def test_bodies_have_a_limit(self):
        self.reject("1000001 characters", NOTES, {"body": "x" * 1_000_001})
        self.reject("merge request 6", NOTES.replace("/5/", "/6/"), {"body": "x"}, 404)
        self.reject("note 999", NOTES + "/999", {"body": "x"}, 404, method="PUT")
        self.reject("expected 1 to 100", NOTES + "?per_page=0", method="GET")
        self.reject("Content-Type", NOTES, {"body": "x"}, 415, headers={"Content-Type": "a/b"})


class WriteRate(GitHubCase):
    arguments = ("--rate", "1:1")

    def test_writes_that_come_too_fast_are_limited_and_reads_are_not(self):
        self.accept(STATUS, {"state": "success"}, 201)
        self.accept(COMMENTS, method="GET")
        self.assertEqual(self.send(STATUS, {"state": "success"}).status, 429)
        self.assertEqual(self.last()["verdict"], "limited")


if __name__ == "__main__":
    unittest.main()
