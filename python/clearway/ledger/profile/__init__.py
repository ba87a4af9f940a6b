"""In which functions the program's processor time went, from sampled instructions and the symbols of its files."""

from __future__ import annotations

from clearway.ledger.profile.sampled import Function, Profile, profile

__all__ = ["Function", "Profile", "profile"]
