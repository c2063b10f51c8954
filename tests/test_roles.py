"""What part a file plays is read from its path, by the customs of each language."""

from __future__ import annotations

import pytest

from clew.search.roles import Role, role_of

NONE = Role(0)


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("lib/shop/cart_test.exs", Role.TEST),
        ("src/CartSpec.scala", Role.TEST),
        ("src/CartSuite.scala", Role.TEST),
        ("src/CartSpec.hs", Role.TEST),
        ("install.bats", Role.TEST),
        ("spec/cart.lua", Role.TEST),
        ("lua/cart_spec.lua", Role.TEST),
        ("src/Spectrum.scala", NONE),
        ("src/contest.ex", NONE),
        ("lua/inspect.lua", NONE),
        ("guide.adoc", Role.DOCUMENT),
        ("Dockerfile.dev", Role.CONFIG),
        ("infra/main.tf", Role.CONFIG),
        ("infra/prod.tfvars", Role.CONFIG),
        ("rules.mk", Role.CONFIG),
        ("api/shop.proto", NONE),
        ("db/tables.sql", NONE),
        ("schema.graphql", NONE),
    ],
)
def test_a_path_tells_the_part_that_a_file_plays(path, role):
    assert role_of(path) == role
