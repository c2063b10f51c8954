"""Names in C and C++ declarators: `int *(*Outer::table[3])(void)` is about `table` in `Outer`.

A declarator wraps its name in pointers, arrays and parameters to any depth, which no query can
follow. Nothing here looks outside one declarator and what stands right beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

_DEPTH: Final = 50  # of wrapping; real code has five
_TEST_MACRO: Final = re.compile(rb"[A-Z][A-Z0-9_]*\Z")
_NAMES: Final = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "operator_name",
        "destructor_name",
        "operator_cast",
    }
)
_SCOPES: Final = frozenset({"qualified_identifier", "template_function", "template_method"})
_WRAPPERS: Final = frozenset(
    {
        "function_declarator",
        "pointer_declarator",
        "reference_declarator",
        "array_declarator",
        "init_declarator",
        "parenthesized_declarator",
        "attributed_declarator",
        "variadic_declarator",
    }
)


@dataclass(frozen=True, slots=True)
class Declared:
    """What a declarator declares.

    Attributes:
        name: The node of the name itself.
        owners: What it is qualified by, outermost first.
        callable: Whether it is a function, not a pointer to one.
    """

    name: Node
    owners: tuple[Node, ...]
    callable: bool


def declared(declarator: Node) -> Declared | None:
    """The name that a declarator is about, or None when it has none."""
    owners: list[Node] = []
    function: Node | None = None
    wrapped = ""
    node = declarator
    for _ in range(_DEPTH):
        if node.type in _NAMES:
            return _named(node, owners, function, direct=wrapped == "function_declarator")
        if node.type == "function_declarator":
            function = node
        inner = _inner(node)
        if inner is None:
            return None
        if node.type == "qualified_identifier":
            scope = node.child_by_field_name("scope")
            if scope is not None:
                owners.append(scope.child_by_field_name("name") or scope)
        elif node.type not in _SCOPES:
            wrapped = node.type
        node = inner
    return None


def _inner(node: Node) -> Node | None:
    """What a declarator wraps."""
    if node.type in _SCOPES:
        return node.child_by_field_name("name")
    if node.type not in _WRAPPERS:
        return None
    inner = node.child_by_field_name("declarator")
    if inner is None:  # parentheses and references don't name their child
        named = node.named_children
        inner = named[-1] if named else None
    return inner


def _named(node: Node, owners: list[Node], function: Node | None, *, direct: bool) -> Declared:
    if function is not None and not owners and node.type == "identifier":
        test = _test_case(node, function)
        if test:
            return Declared(test[-1], tuple(test[:-1]), callable=True)
    return Declared(node, tuple(owners), direct or node.type == "operator_cast")


def _test_case(name: Node, function: Node) -> list[Node]:
    """The names in `TEST(Suite, Case) {`, which reads like a function without a type."""
    parameters = function.child_by_field_name("parameters")
    definition = function.parent
    if parameters is None or definition is None or definition.type != "function_definition":
        return []
    if definition.child_by_field_name("type") is not None or not _TEST_MACRO.match(
        name.text or b""
    ):
        return []
    kinds = [parameter.child_by_field_name("type") for parameter in parameters.named_children]
    names = [one for one in kinds if one is not None and one.type == "type_identifier"]
    bare = all(parameter.named_child_count == 1 for parameter in parameters.named_children)
    return names if bare and len(names) == len(kinds) and 0 < len(names) <= 2 else []


def repeats_a_body(definition: Node) -> bool:
    """Whether a `typedef` holds a struct with a name and a body of its own."""
    specifier = definition.child_by_field_name("type")
    if definition.type != "type_definition" or specifier is None:
        return False
    fields = ("name", "body")
    return all(specifier.child_by_field_name(field) is not None for field in fields)


def is_second_name(definition: Node, name: Node) -> bool:
    """Whether a `typedef` only repeats the name of the struct that it holds."""
    specifier = definition.child_by_field_name("type")
    own = specifier.child_by_field_name("name") if specifier is not None else None
    return own is not None and own.text == name.text and repeats_a_body(definition)
