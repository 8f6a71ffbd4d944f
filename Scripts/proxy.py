"""A way to a server that is cut, or on which nothing arrives for a while."""

import contextlib
import socket
import socketserver
import threading
import time


class Proxy(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", 0), None)
        self.port, self.sockets, self.is_stalled = port, [], False
        self.address = f"127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, client, _):
        """Serves a connection, on a thread of its own."""
        self.sockets.append(client)
        with contextlib.suppress(OSError):
            with socket.create_connection(("127.0.0.1", self.port)) as upstream:
                self.sockets.append(upstream)
                threading.Thread(target=self.forward, args=(client, upstream), daemon=True).start()
                self.forward(upstream, client)

    def forward(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                while self.is_stalled:
                    time.sleep(0.01)
                target.sendall(data)
        self.shut(source, target)

    @staticmethod
    def shut(*sockets):
        for end in sockets:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        sockets, self.sockets = self.sockets, []
        self.shut(*sockets)

    def stall(self, seconds):
        self.is_stalled = True
        time.sleep(seconds)
        self.is_stalled = False
