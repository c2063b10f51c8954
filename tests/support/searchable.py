"""A small shop in several languages, indexed for real, for tests of search."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from clew.chunks.skip import SkipRules
from clew.index.build import BuildOptions, build
from clew.index.view import View, open_view
from clew.types import Source
from support.snapshots import MemorySnapshot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from clew.models.embedder import TermEmbedder

# The classes are longer than what the chunker keeps whole, so that their methods stand alone.
CART = '''"""The shopping cart."""

from shop.money import Money


class Cart:
    """Holds the items that a customer wants to buy."""

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item, quantity=1):
        """Put an item into the cart."""
        self.items.append((item, quantity))

    def apply_discount(self, coupon):
        """Lower the total by a coupon; an expired coupon is refused."""
        if coupon.expired:
            raise ValueError("coupon expired")
        self.items = [(coupon.reduce(item), n) for item, n in self.items]

    def remove(self, item):
        """Take an item out of the cart."""
        self.items = [(kept, n) for kept, n in self.items if kept is not item]

    def is_empty(self):
        """Tell whether there is nothing to buy."""
        return not self.items

    def count(self):
        """Tell how many pieces there are."""
        return sum(n for _, n in self.items)

    def total(self):
        """Add up the prices of all items."""
        return sum((item.price * n for item, n in self.items), Money(0))
'''
PAYMENT = '''"""Talks to the payment provider."""

import time


class PaymentGateway:
    """A connection to the provider."""

    def charge(self, card, amount):
        """Take money from a card."""
        return retry_with_backoff(lambda: self.post("charge", card, amount))

    def refund(self, charge):
        """Give the money of a charge back."""
        return self.post("refund", charge)

    def status(self, charge):
        """Ask how far a charge has come."""
        return self.post("status", charge)

    def capture(self, charge):
        """Take what was only reserved."""
        return self.post("capture", charge)

    def dispute(self, charge, reason):
        """Answer a customer who wants it back from the bank."""
        return self.post("dispute", charge, reason)

    def receipt(self, charge):
        """Fetch the paper that proves a charge."""
        return self.post("receipt", charge)

    def void(self, charge):
        """Forget what was only reserved."""
        return self.post("void", charge)

    def post(self, verb, *parts):
        return (verb, parts)


def retry_with_backoff(call, attempts=5):
    """Repeat a call that fails, waiting twice as long each time."""
    for attempt in range(attempts):
        try:
            return call()
        except ConnectionError:
            time.sleep(2**attempt)
    raise TimeoutError("the payment provider does not answer")
'''
ROUTER = """// Maps addresses to handlers.
export class Router {
  private routes = new Map<string, Handler>();

  /** Register a handler for a path pattern. */
  addRoute(pattern: string, handler: Handler): void {
    this.routes.set(pattern, handler);
  }

  /** Forget a path pattern. */
  removeRoute(pattern: string): void {
    this.routes.delete(pattern);
  }

  /** How many patterns are known. */
  size(): number {
    return this.routes.size;
  }

  /** Name all patterns, in no order. */
  patterns(): string[] {
    return [...this.routes.keys()];
  }

  /** Call something for every pattern. */
  each(visit: (pattern: string) => void): void {
    this.routes.forEach((_, pattern) => visit(pattern));
  }

  /** Forget all patterns. */
  clear(): void {
    this.routes.clear();
  }

  /** Find the handler whose pattern matches the address. */
  match(address: string): Handler | undefined {
    return this.routes.get(address);
  }
}
"""
SHOP: dict[str, str] = {
    "shop/cart.py": CART,
    "shop/payment.py": PAYMENT,
    "shop/money.py": "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n",
    "web/router.ts": ROUTER,
    "tests/test_cart.py": "from shop.cart import Cart\n\n\n"
    "def test_apply_discount_refuses_an_expired_coupon(coupon):\n"
    "    cart = Cart('me')\n    cart.apply_discount(coupon)\n    assert cart.total() == 0\n",
    "docs/cart.md": "# The cart\n\nApply a discount coupon to the cart: it lowers the total.\n"
    "An expired coupon is refused by the cart.\n",
    "examples/checkout.py": "from shop.cart import Cart\n\n\ndef apply_discount_example(coupon):\n"
    "    cart = Cart('you')\n    cart.apply_discount(coupon)\n    print(cart.total())\n",
    "deploy.toml": '[cart]\ndiscount = true\ncoupon = "expired"\n',
    "package-lock.json": "{}",
}


@contextmanager
def searchable(
    files: Mapping[str, str],
    folder: Path,
    name: str = "shop",
    embedder: TermEmbedder | None = None,
) -> Iterator[View]:
    """The files as one indexed source called `name`, with vectors where an embedder is given."""
    snapshot = MemorySnapshot({path: text.encode() for path, text in files.items()})
    path = folder / f"{name}.db"
    build(snapshot, path, BuildOptions(rules=SkipRules(), embedder=embedder))
    view = open_view(path, Source(name, name, "folder", f"/{name}"), snapshot.revision)
    try:
        yield view
    finally:
        view.close()
