"""A TCP forwarder that can be cut: a network that fails in the middle of something.

Forwards 127.0.0.1:port to 127.0.0.1:target. `cut()` lets nothing through any more, in both
directions, and keeps every connection open, as a lost link does: neither side is told. `mend()`
lets everything through again, what was held back first. `drop()` closes all connections at once.
"""

import select
import socket
import threading

CHUNK_BYTES = 65536
TICK_S = 0.02


class Forwarder:
    """Runs in threads of its own until close()."""

    def __init__(self, target_port):
        self.target_port = target_port
        self.flowing = threading.Event()
        self.flowing.set()
        self.closed = False
        self.pairs = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        self.flowing.clear()

    def mend(self):
        self.flowing.set()

    def drop(self):
        with self.lock:
            for pair in self.pairs:
                for side in pair:
                    side.close()
            self.pairs.clear()

    def close(self):
        self.closed = True
        self.flowing.set()
        self.listener.close()
        self.drop()

    def _accept(self):
        while not self.closed:
            try:
                client, _ = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target_port))
            except OSError:
                continue
            with self.lock:
                self.pairs.append((client, server))
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        """One direction. While cut, nothing is read, and what was read is held back."""
        try:
            while not self.closed:
                self.flowing.wait()
                if not select.select([source], [], [], TICK_S)[0]:
                    continue
                data = source.recv(CHUNK_BYTES)
                self.flowing.wait()
                if not data:
                    break
                sink.sendall(data)
        except (OSError, ValueError):
            pass
        for side in (source, sink):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
