"""Whom a message is given to, for every kind of destination: only a host with a good certificate at
an address that is permitted. And nobody sees a secret in the list of processes.
"""

import pathlib
import resource
import time
import unittest

from channel_case import COMMIT, KINDS, SECRETS, ChannelCase
from launch import Launch
from queue_case import children_of

KEY = "planted2key0000000000000000000000000000000f"
SCRIPTS = {"chat": "chat_server.py", "forge": "forge_server.py", "wandb": "wandb_server.py"}
ALL_KINDS = [*KINDS, "wandb"]
OTHER_LOOPBACK = "127.0.0.2/32"


def allow_core_files():
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


class Trust(ChannelCase):
    """Every kind at a double of its service, whose host and certificate a test chooses."""

    servers, baseline_runs = {}, 0

    def setUp(self):
        super().setUp()
        SECRETS.append(KEY)
        self.addCleanup(SECRETS.remove, KEY)

    def launch(self, *options):
        for double in self.doubles.values():
            double.stop()
        for name, script in SCRIPTS.items():
            own = ["--api-key", KEY] if name == "wandb" else []
            self.doubles[name] = Launch(script, *own, *options)
            self.addCleanup(self.doubles[name].stop)

    def double(self, kind):
        return self.doubles["wandb" if kind == "wandb" else KINDS[kind][0]]

    def lines(self, kind, host="127.0.0.1", **keys):
        """One destination; the double's URL on another of its names."""
        double = self.double(kind)
        if kind == "wandb":
            return self.record_section(double, KEY, **{"url": double.url(host=host), **keys})
        url = self.secret_file(f"{kind}-url", double.url(KINDS[kind][2], host=host))
        return self.section(kind, **{"url": url, **keys})

    def arrange(self, kind, **keys):
        """Configures a destination of this kind; the command that tries it out."""
        self.configure(*self.lines(kind, **keys))
        name = "record" if kind == "wandb" else kind
        return "alert", "test", name, "--commit", COMMIT, "--branch", "pull/7"

    def try_out(self, kind, **keys):
        """`alert test` of a destination of this kind."""
        result = self.call(*self.arrange(kind, **keys))
        self.said += [result.out, result.err]
        return result

    def heard(self):
        """The requests that any double has seen; handshakes that came to nothing are none."""
        return [entry for double in self.doubles.values() for entry in double.log()
                if entry.get("verdict") != "no request"]

    def test_trusts_no_certificate_but_a_good_one(self):
        for certificate in ("self-signed", "wrong-name", "expired"):
            self.launch("--tls", certificate)
            for kind in ALL_KINDS:
                with self.subTest(kind, certificate=certificate):
                    # What signed the bad ones is trusted, where anybody did.
                    ca_file = (None if certificate == "self-signed"
                               else self.double(kind).ca_path)
                    result = self.try_out(kind, ca_file=ca_file, allow_http=None)
                    self.assertEqual(result.code, 69, result.err)
                    self.assertRegex(result.err, r"\(retry\).*certificate")
            self.assertEqual(self.heard(), [])

    def test_trusts_a_good_one_of_the_destinations_own_authority(self):
        self.launch("--tls", "trusted")
        for kind in ALL_KINDS:
            with self.subTest(kind):
                self.assertIn("certificate", self.try_out(kind, allow_http=None).err)
                result = self.try_out(kind, ca_file=self.double(kind).ca_path, allow_http=None)
                self.assertEqual(result.code, 0, result.err)

    def test_a_name_is_as_good_as_the_address_it_leads_to(self):
        """What a name meant when it was looked at counts for nothing: the connection is checked."""
        self.launch()
        for kind in ALL_KINDS:
            with self.subTest(kind):
                result = self.try_out(kind, host="localhost", allow_addresses=OTHER_LOOPBACK)
                self.assertEqual(result.code, 69, result.err)
                self.assertRegex(result.err, r"(127\.0\.0\.1|::1) is loopback")
                self.assertIn("allow_addresses", result.err)
        self.assertEqual(self.heard(), [])
        for kind in ALL_KINDS:
            with self.subTest(kind):
                result = self.try_out(kind, host="localhost",
                                      allow_addresses="127.0.0.0/8, ::1")
                self.assertEqual(result.code, 0, result.err)

    def read(self, pid, name):
        """What anybody can see of a process; the environment is its user's at the most."""
        try:
            return pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
        except PermissionError:
            return b""

    def family(self, pid):
        """The process and all that it has started."""
        return [pid] + [one for child in children_of(pid) for one in self.family(child)]

    def test_shows_no_secret_to_who_looks_at_processes(self):
        self.launch()
        for kind in ("webhook", "slack", "slack_api", "teams", "github_check", "wandb"):
            with self.subTest(kind):
                double = self.double(kind)
                before = len(double.log())
                double.faults({"fault": "hang"})
                process = self.start(*self.arrange(kind), preexec_fn=allow_core_files)
                self.addCleanup(process.communicate)
                self.addCleanup(process.kill)
                until = time.monotonic() + 60
                while len(double.log()) == before and time.monotonic() < until:
                    time.sleep(0.02)
                self.assertIsNone(process.poll())
                seen = b"".join(self.read(pid, name) for pid in self.family(process.pid)
                                for name in ("cmdline", "environ"))
                self.assertIn(b"alert", seen)
                for secret in SECRETS:
                    self.assertNotIn(secret.encode(), seen)
                # Nor does a crash leave its memory in a file.
                self.assertRegex(self.read(process.pid, "limits").decode(),
                                 r"Max core file size +0 ")
                process.kill()


if __name__ == "__main__":
    unittest.main()
