"""What tests of deliveries to chat services and forges share: the doubles, the configuration of
every kind of destination, an outbox that verdicts fill, and the search for planted secrets.
"""

import hashlib
import json
import sys

from cli_case import ROOT, LedgerCase

sys.path.insert(0, str(ROOT / "tests" / "support"))
sys.path.insert(0, str(ROOT / "tests" / "support" / "doubles"))

# The doubles stand beside each other as plain modules.
import chat_service  # noqa: E402,F401 (fails early when the folder is not there)
import discord  # noqa: E402
import google_chat  # noqa: E402
import mattermost  # noqa: E402
import slack  # noqa: E402
import standard_webhook  # noqa: E402
import teams  # noqa: E402
from launch import Launch  # noqa: E402
from sql_session import SqlSession  # noqa: E402

LOOPBACK = {"allow_addresses": "127.0.0.0/8", "allow_http": "yes", "min_interval_ms": 0}
# A retry waits for a random time of up to two hours: that it ends within a test is as good as
# impossible, and a message that is told so is sent when the test wants it.
NO_RETRY = {"delivery_base_ms": 3_600_000, "delivery_cap_ms": 7_200_000}
OWNER = "stepledger_owner"
COMMIT, OTHER_COMMIT = "c" * 40, "d" * 40
APP_TOKEN, GITLAB_TOKEN = "ghs_app0token", "glpat-own0token"
SLACK_HOOK = "/services/T0000001/B0000001/planted0slack0hook"
# Destination: double, keys, path of its URL, secret. What is a URL of its own goes into a file.
KINDS = {
    "webhook": ("chat", {}, "/generic/planted-hook", standard_webhook.SECRET),
    "slack": ("chat", {}, SLACK_HOOK, None),
    "slack_api": ("chat", {"channel": slack.CHANNEL}, "/api", slack.TOKEN),
    "discord": ("chat", {}, f"/api/webhooks/{discord.WEBHOOK_ID}/{discord.TOKEN}", None),
    "teams": ("chat", {}, f"/workflows/planted/run?sig={teams.SIGNATURE}", None),
    "google_chat": ("chat", {}, f"/v1/spaces/{google_chat.SPACE}/messages"
                                f"?key={google_chat.KEY}&token={google_chat.TOKEN}", None),
    "mattermost": ("chat", {}, f"/hooks/{mattermost.HOOK}", None),
    "github_status": ("forge", {"repository": "acme/train"}, "", APP_TOKEN),
    "github_check": ("forge", {"repository": "acme/train"}, "", APP_TOKEN),
    "github_comment": ("forge", {"repository": "acme/train", "login": "stepledger[bot]"}, "",
                       APP_TOKEN),
    "gitlab_status": ("forge", {"repository": "acme/train"}, "/api/v4", GITLAB_TOKEN),
    "gitlab_note": ("forge", {"repository": "acme/train", "issue": 5}, "/api/v4", GITLAB_TOKEN),
}
SECRETS = [slack.TOKEN, discord.TOKEN, teams.SIGNATURE, google_chat.KEY, google_chat.TOKEN,
           mattermost.HOOK, APP_TOKEN, GITLAB_TOKEN, "planted0slack0hook", "planted-hook",
           standard_webhook.SECRET.removeprefix("whsec_")]


class ChannelCase(LedgerCase):
    """One ledger per class; doubles, a configuration and an empty outbox per test."""

    servers = {"chat": "chat_server.py", "forge": "forge_server.py"}
    baseline_runs = 6  # on the branch main; without any, there is a ledger that is empty

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls().expect(0, "db", "start")
        cls.url = cls().expect(0, "db", "url").out.strip()
        cls.sessions = {}
        cls().expect(0, "alert", "list")  # makes the schema
        for run in range(1, cls.baseline_runs + 1):
            cls().ingest("--branch", "main", "--run", f"main-{run}",
                         cls.profile(f"main-{run}", "--kind", "tpu", "--seed", str(run)))

    @classmethod
    def tearDownClass(cls):
        for session in cls.sessions.values():
            session.end()
        super().tearDownClass()

    def setUp(self):
        self.said = []
        self.sql("UPDATE outbox SET state = 'dead', dead_told = true, finished_at = now(),"
                 " lease_token = NULL, lease_until = NULL WHERE state IN ('pending', 'sending')")
        self.sql("UPDATE outbox SET dead_told = true")
        self.sql("UPDATE alert_threads SET remote_ref = NULL")  # of doubles that are gone
        self.open_destinations()
        self.doubles = {name: Launch(script) for name, script in self.servers.items()}
        for double in self.doubles.values():
            self.addCleanup(double.stop)

    def open_destinations(self):
        """What an earlier message met closes none of them now."""
        self.sql("UPDATE destinations SET not_before = '-infinity', disabled_why = NULL,"
                 " disabled_until = NULL, refused_count = 0, failing_since = NULL")

    def clear_outbox(self):
        """Nothing waits any more: a retry's wait is random and may end at any moment."""
        self.sql("UPDATE outbox SET state = 'superseded', finished_at = now()"
                 " WHERE state = 'pending'")

    def tearDown(self):
        """Whatever the test was about: nothing secret was said or stored."""
        for text in (*self.said, self.dump()):
            for secret in SECRETS:
                self.assertNotIn(secret, text)

    def dump(self):
        """The whole database as text, every table of it, and the bytes of messages readably.
        (pg_dump wants to read sequences too, which the program's role may not.)"""
        names = self.sql("SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') "
                         "AND NOT relispartition "  # a part is read through its whole
                         "AND relnamespace = 'stepledger'::regnamespace").split()
        self.assertIn("outbox", names)
        self.assertIn("alert_threads", names)
        tables = self.sql(*(f"COPY (SELECT * FROM {name}) TO STDOUT" for name in names))
        return tables + self.sql("SELECT encode(body, 'escape') FROM outbox")

    def sql(self, *statements, url=None):
        url = url or self.url
        if url not in self.sessions:
            self.sessions[url] = SqlSession(url)
        return self.sessions[url].run(*statements)

    def owner_sql(self, *statements):
        """What the program's own role may not do: the past is moved about."""
        return self.sql(*statements, url=self.url.replace("stepledger@", f"{OWNER}@", 1))

    def silences_end(self):
        """As if their time were over."""
        self.owner_sql("ALTER TABLE silences DISABLE TRIGGER USER",
                       "UPDATE silences SET until = now()",
                       "ALTER TABLE silences ENABLE TRIGGER USER")

    def secret_file(self, name, text):
        path = self.folder / f"secret-{name}"
        path.write_text(text + "\n", encoding="utf-8")
        path.chmod(0o600)
        return f"file:{path}"

    def section(self, kind, name=None, **keys):
        """The lines of one destination."""
        double, own, path, secret = KINDS[kind]
        entries = {"kind": kind, **own, **LOOPBACK, **keys}
        entries.setdefault("url", self.secret_file(f"{name or kind}-url",
                                                   self.doubles[double].url(path)))
        if secret is not None:
            entries.setdefault("secret", self.secret_file(f"{name or kind}-key", secret))
        return self.section_lines(name or kind, entries)

    @staticmethod
    def section_lines(name, entries):
        """What is None is left out."""
        return [f"[destination {name}]",
                *(f"{key} = {value}" for key, value in entries.items() if value is not None)]

    def record_section(self, wandb, key, **keys):
        """The lines of a destination at the W&B double, whose artifacts every verdict ends in."""
        entries = {"kind": "wandb", "url": wandb.url(), "repository": "acme/p",
                   "secret": self.secret_file("record", key), **LOOPBACK, **keys}
        return self.section_lines("record", entries)

    def configure(self, *lines, **keys):
        """Writes the configuration: sections line by line, and top-level keys."""
        head = [f"{key} = {value}" for key, value in keys.items()]
        path = self.folder / "config" / "stepledger" / "config"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*head, *lines]) + "\n", encoding="utf-8")

    def gate(self, code, name, *options, branch="pull/7", commit=None, profile=()):
        """Judges a fresh profile of this name: of a commit of its own, or it would be one more
        run of the candidate before."""
        commit = commit or hashlib.sha1(name.encode()).hexdigest()
        policy = self.folder / "coarse.policy"  # six past runs and one more tell no 2 %
        policy.write_text("policy_version = 1\nmin_effect_pct = 5\n", encoding="utf-8")
        result = self.expect(code, "gate", "--project", "p", "--workload", "w", "--branch", branch,
                             "--commit", commit, "--policy", policy, *options,
                             self.profile(name, "--kind", "tpu", *profile))
        self.said += [result.err]
        return result.document

    def slow(self, name, seed, factor=2.5, code=1, **more):
        return self.gate(code, name, **more,
                         profile=("--seed", str(seed), "--slow-op", f"attention={factor}"))

    def good(self, name, seed, **more):
        return self.gate(0, name, profile=("--seed", str(seed)), **more)

    def phases(self, name):
        return self.sql("SELECT string_agg(o.phase, ' ' ORDER BY o.id) FROM outbox o"
                        f" JOIN destinations d ON d.id = o.destination_id WHERE d.name = '{name}'")

    def work(self, delivered=0, retried=0, dead=0):
        """Runs the worker once and insists on its report; returns what it logged."""
        result = self.expect(0, "work", "alert", "--once")
        self.said += [result.out, result.err]
        self.assertEqual(result.document,
                         {"delivered": delivered, "retried": retried, "dead": dead}, result.err)
        return result.err

    def requests(self, double):
        """What this test has sent to a double."""
        return self.doubles[double].log()

    def assert_accepted(self, *doubles):
        """Nothing of this test broke a rule of a service."""
        for double in doubles or self.doubles:
            self.assertEqual([entry["rejected"] for entry in self.requests(double)
                              if "rejected" in entry], [])

    def bodies(self, double):
        return [json.loads(entry["body"]) for entry in self.requests(double)
                if entry["method"] != "GET"]
