"""Where each rank-second went. `account(run)` makes the ledger; docs/ledger.md explains every line."""

from clearway.ledger.account import Account, account

__all__ = ["Account", "account"]
