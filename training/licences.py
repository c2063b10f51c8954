"""Reads which licence a repository stands under, from the text of its licence files.

Only texts that are known word by word count: a custom licence, a copyleft licence, a mixture with
one, or none at all makes a repository unusable for training. Nothing here asks a server.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAMES = re.compile(
    r"^(?:[\w.]+[-_])?(?:un)?licen[cs]e(?:[-_.][\w.-]+)?$|^copying(?:\.\w+)?$", re.IGNORECASE
)
"""Names of files at a repository's top that state its licence."""

# What a permissive licence says, and none of the others: by SPDX identifier, in this order.
_GRANT = "permission to use, copy, modify,? and(?:/or)? distribute this software for any purpose "
_GRANT += "with or without fee is hereby granted"
_FREE = "permission is hereby granted, free of charge, to any person obtaining a ?copy of this "
_FREE += "software and associated documentation files"
_AS_IS = "this software is provided 'as-is', without any express or implied warranty.*"
_AS_IS += "altered source versions must be plainly marked as such"
_BINARY = "redistributions? in binary form must reproduce"
_NAMES = "neither the names? .* nor|the names? .* may not be used|name of the copyright holder"
_PERMISSIVE = (
    ("Apache-2.0", r"apache license,? version 2\.0"),
    ("BSL-1.0", r"boost software license - version 1\.0"),
    ("Unlicense", "this is free and unencumbered software released into the public domain"),
    ("PSF-2.0", "python software foundation license version 2"),
    ("Zlib", _AS_IS),
    ("ISC", _GRANT + ",? provided that"),
    ("0BSD", _GRANT + r"\."),
    ("MIT", _FREE),
    ("BSD-3-Clause", f"{_BINARY}.*(?:{_NAMES})"),
    ("BSD-2-Clause", _BINARY),
)
# Words of licences that ask for more than a notice, wherever they stand in a licence file.
_RESTRICTED = re.compile(
    r"gnu (?:lesser |affero |library )?general public|mozilla public license"
    r"|eclipse public license|common development and distribution|european union public licence"
    r"|server side public license|business source license|commons clause|elastic license"
    r"|all advertising materials mentioning|creative commons attribution-(?:share|non)"
)


def licence_of(texts: Mapping[str, str]) -> str | None:
    """Name the permissive licences that a repository offers.

    Args:
        texts: The texts of its licence files, by name.

    Returns:
        SPDX identifiers joined by " OR " (a file for each) or " AND " (several in one file); None
        when there is no file, when one of them is not known, or when one asks for more.
    """
    found: list[str] = []
    for _, text in sorted(texts.items()):
        flat = _flat(text)
        if _RESTRICTED.search(flat):
            return None
        names = [name for name, pattern in _PERMISSIVE if re.search(pattern, flat)]
        if "BSD-3-Clause" in names:
            names.remove("BSD-2-Clause")
        if not names:
            return None
        found.append(" AND ".join(names))
    return " OR ".join(dict.fromkeys(found)) or None


def _flat(text: str) -> str:
    """One line in small letters with plain quotes: how a text is wrapped says nothing."""
    plain = text.translate(str.maketrans('‘’`“”"', "''''''"))
    return re.sub(r"[\s*#>]+", " ", plain).lower()
