"""What the Town asserts: events, each chained to the one before, in a file that only grows."""

from mapping.register.chain import Verification, record_json
from mapping.register.kinds import KINDS, EventKind
from mapping.register.register import Check, Register

__all__ = ["KINDS", "Check", "EventKind", "Register", "Verification", "record_json"]
