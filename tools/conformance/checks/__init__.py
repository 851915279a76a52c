"""The rules, one small function each: a file for every dialect, and one for what all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tools.conformance.check import Suite
from tools.conformance.checks import cassio, gomocup, gtp, native, nboard
from tools.conformance.clients.cassio import CassioClient
from tools.conformance.clients.client import Client
from tools.conformance.clients.gomocup import GomocupClient
from tools.conformance.clients.gtp import GtpClient
from tools.conformance.clients.native import NativeClient
from tools.conformance.clients.nboard import NBoardClient


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect's client and its checks, which take that client."""

    client: type[Client]
    suite: Suite[Any]


DIALECTS = {
    "native": Dialect(NativeClient, native.suite),
    "nboard": Dialect(NBoardClient, nboard.suite),
    "gtp": Dialect(GtpClient, gtp.suite),
    "cassio": Dialect(CassioClient, cassio.suite),
    "gomocup": Dialect(GomocupClient, gomocup.suite),
}
