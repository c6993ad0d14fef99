"""Attacks by network: sending, taking, and asking the kernel about it. The ground listens on the real loopback."""

from __future__ import annotations

from tests.sandbox.battery_attack import Attack

_SOCKET = "import socket\n"

ATTACKS = tuple(
    Attack(name, _SOCKET + program)
    for name, program in {
        "TCP": "socket.create_connection(('127.0.0.1', TCP), 1); hit('connected')",
        "TCP over IPv6": "socket.create_connection(('::ffff:127.0.0.1', TCP), 1); hit('connected')",
        "UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', UDP)); hit('sent')",
        "unix socket with a path": "socket.socket(socket.AF_UNIX).connect(UNIX); hit('connected')",
        "unix datagram to a path": "socket.socket(1, socket.SOCK_DGRAM).sendto(b'x', UNIX_DATAGRAM); hit('sent')",
        "abstract unix socket": "socket.socket(socket.AF_UNIX).connect('\\0' + ABSTRACT); hit('connected')",
        "listen": "socket.create_server(('0.0.0.0', 0)); hit('listens')",
        "bind UDP": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).bind(('', 0)); hit('bound')",
        "every family of sockets": (
            "for family in range(1, 46):\n"
            "    for kind in (1, 2, 3, 5):\n"
            "        attempt((family, kind), socket.socket, family, kind)"
        ),
        "names of machines": "socket.getaddrinfo('localhost', 80); hit('resolved', socket.if_nameindex())",
    }.items()
)
