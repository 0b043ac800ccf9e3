"""What a checkpoint proves to who has no ledger: checked by the words of RFC 9162 alone."""

import copy
import json
import subprocess
import unittest

from server_case import ServerCase  # makes tests/support importable
from cli_case import BINARY
from json_schema import check_document
import ct_tree


class Proofs(ServerCase):
    """Three checkpoints, entries between them on two chains."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        case = cls()
        cls.checkpoints = []
        for seed, workload in (("1", "w"), ("2", "w"), ("3", "x")):
            profile = cls.profile(f"m{seed}", "--kind", "tpu", "--seed", seed)
            case.expect(0, "ingest", "--project", "p", "--workload", workload, profile)
            path = cls.folder / f"c{seed}.json"
            case.expect(0, "checkpoint", "--output", path)
            cls.checkpoints.append(json.loads(path.read_text()))

    def alone(self, code, proof, *checkpoints):
        """--check-proof where no ledger can be reached."""
        file = self.folder / "proof.json"
        file.write_text(json.dumps(proof))
        kept = []
        for i, checkpoint in enumerate(checkpoints):
            kept.append(self.folder / f"kept{i}.json")
            kept[-1].write_text(json.dumps(checkpoint))
        arguments = [word for path in kept for word in ("--against", str(path))]
        done = subprocess.run(
            [BINARY, "verify", "--check-proof", str(file), *arguments], text=True, timeout=60,
            capture_output=True, check=False, env={"STEPLEDGER_DB": "host=/nonexistent"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_every_entry_is_proven_to_each_checkpoint_that_saw_it(self):
        entries = self.expect(0, "log", "--format", "json", "--last", "100").document["entries"]
        self.assertGreaterEqual(len(entries), 8)
        seen = 0
        for entry in entries:
            for i, checkpoint in enumerate(self.checkpoints):
                made = self.call("verify", "--proof", entry["entry"], "--against",
                                 self.folder / f"c{i + 1}.json")
                heads = {head["chain"]: head["position"] for head in checkpoint["heads"]}
                if entry["position"] > heads.get(entry["chain"], 0):
                    self.assertEqual(made.code, 6, made.out)
                    self.assertIn("was made before", made.err)
                    continue
                seen += 1
                proof = made.document
                self.assertIn(f"is in what checkpoint c{i + 1}",
                              self.alone(0, proof, checkpoint).stdout)
                root = ct_tree.root_by_path(
                    ct_tree.entry_hash(proof["entry"]), proof["from"], proof["tree_size"],
                    [bytes.fromhex(node) for node in proof["path"]])
                self.assertEqual(root.hex(), checkpoint["tree_root_sha256"])
        self.assertEqual(seen, sum(checkpoint["tree_size"] for checkpoint in self.checkpoints))

    def test_a_changed_proof_proves_nothing(self):
        proof = self.expect(0, "verify", "--proof", "p1").document
        last = self.checkpoints[-1]
        self.alone(0, proof, last)
        for member, value in (("chain", "s9"), ("position", 7), ("content_sha256", "0" * 64),
                              ("recorded_us", 1), ("previous_sha256", "1" * 64)):
            changed = copy.deepcopy(proof)
            changed["entry"][member] = value
            self.assertIn("NOT proven", self.alone(1, changed, last).stdout)
        for i, node in enumerate(proof["path"]):
            changed = copy.deepcopy(proof)
            changed["path"][i] = node[:-1] + ("0" if node[-1] != "0" else "1")
            self.alone(1, changed, last)
        for path in (proof["path"][:-1], proof["path"] + ["0" * 64], proof["path"][::-1], []):
            self.alone(1, {**proof, "path": path}, last)
        for place in (-1, proof["from"] + 1, proof["tree_size"], 2 ** 62):
            self.alone(1, {**proof, "from": place}, last)
        self.alone(65, {**proof, "tree_size": 3}, last)
        self.alone(65, {**proof, "path": ["xyz"]}, last)
        self.alone(65, {**proof, "entry": {**proof["entry"], "kind": "verdict"}}, last)
        self.alone(65, {**proof, "schema_version": "proof.v9"}, last)
        self.alone(65, proof, self.checkpoints[0])
        for change in ({"tree_root_sha256": "0" * 64}, {"tree_size": 1}, {"tree_peaks": []}):
            self.alone(65, proof, {**last, **change})

    def test_one_checkpoint_is_the_beginning_of_another(self):
        for first in range(3):
            for second in range(first, 3):
                older, newer = self.checkpoints[first], self.checkpoints[second]
                proof = self.expect(0, "verify", "--proof",
                                    f"{older['id']}..{newer['id']}").document
                path = [bytes.fromhex(node) for node in proof["path"]]
                roots = ct_tree.roots_by_path(proof["from"], proof["tree_size"], path,
                                              bytes.fromhex(older["tree_root_sha256"]))
                self.assertEqual([root.hex() for root in roots],
                                 [older["tree_root_sha256"], newer["tree_root_sha256"]])
                self.assertIn("are the first of", self.alone(0, proof, older, newer).stdout)
                for i in range(len(path)):
                    changed = proof["path"][:i] + ["0" * 64] + proof["path"][i + 1:]
                    self.alone(1, {**proof, "path": changed}, older, newer)
                self.alone(1, {**proof, "path": proof["path"] + ["0" * 64]}, older, newer)
        self.alone(2, proof, self.checkpoints[2])

    def test_says_what_cannot_be_proven(self):
        for name, code, said in (("nothing", 2, "names no entry"), ("p99", 6, "no entry of p99"),
                                 ("c1..c9", 6, "no checkpoint c9"), ("c3..c1", 2, "is newer"),
                                 ("c3", 6, "was made before")):
            self.assertIn(said, self.expect(code, "verify", "--proof", name).err)
        missing = self.expect(2, "verify", "--check-proof", self.folder / "c1.json")
        self.assertIn("--against", missing.err)

    def test_documents_fit_their_schemas(self):
        for name, document in (("checkpoint", self.checkpoints[2]),
                               ("proof", self.expect(0, "verify", "--proof", "p2").document)):
            check_document(document, name)


if __name__ == "__main__":
    unittest.main()
