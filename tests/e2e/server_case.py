"""A ledger on throw-away servers that listen on 127.0.0.1: for links that are cut and servers that
are lost."""

import os
import shutil
import unittest

from cli_case import BINARY
from queue_case import QueueCase, postgres_server


class ServerCase(QueueCase):
    """One primary per class; its database is the ledger of every command."""

    @classmethod
    def setUpClass(cls):
        if postgres_server.binaries() is None:
            raise unittest.SkipTest("PostgreSQL is not in /usr/lib/postgresql")
        super().setUpClass()
        cls.servers_folder = cls.folder / "servers"
        cls.servers_folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(cls.servers_folder, "postgres", "postgres")
        cls.servers = []
        cls.primary = cls.server("primary")
        cls.primary.start_ledger(BINARY, cls.environment, cls.ledgers)
        cls.environment["STEPLEDGER_DB"] = cls.primary.conninfo()

    @classmethod
    def server(cls, name):
        """A server that ends with the class."""
        server = postgres_server.Server(cls.servers_folder, name)
        cls.servers.append(server)
        return server

    @classmethod
    def tearDownClass(cls):
        for server in cls.servers:
            server.stop()
        super().tearDownClass()

    def url(self):
        return self.primary.conninfo()
