"""How Markdown is cut into sections."""

from __future__ import annotations

from clew.chunks.parse import parse

PARAGRAPH = "Some words about the thing at hand, long enough to fill a line of text.\n"


def sections(text: str) -> list[tuple[int, int, str]]:
    return [(c.start_line, c.end_line, c.qualname) for c in parse("a.md", text).chunks]


def test_a_section_is_named_by_its_heading_and_the_headings_above():
    body = PARAGRAPH * 4
    text = f"# Guide\n{body}## Install\n{body}### Linux\n{body}## Use\n{body}"
    assert sections(text) == [
        (1, 5, "Guide"),
        (6, 10, "Guide > Install"),
        (11, 15, "Guide > Install > Linux"),
        (16, 20, "Guide > Use"),
    ]
    linux = parse("a.md", text).chunks[2]
    assert (linux.name, linux.parents, linux.kind) == ("Linux", ("Guide", "Install"), "section")


def test_a_hash_in_a_fence_a_comment_or_indented_code_is_no_heading():
    text = (
        f"# One\n{PARAGRAPH * 4}```sh\n# two\n~~~\n```\n~~~~\n# three\n~~~\n~~~~\n"
        f"<!--\n# four\n-->\n\n    # five\n#six\n####### seven\n"
    )
    assert [name for *_, name in sections(text)] == ["One"]


def test_an_unclosed_fence_runs_to_the_end():
    assert [name for *_, name in sections(f"# One\n{PARAGRAPH * 4}```\n# two\n")] == ["One"]


def test_underlined_titles_are_headings():
    text = f"Guide\n=====\n{PARAGRAPH * 4}\nInstall\n---\n{PARAGRAPH * 4}"
    assert [name for *_, name in sections(text)] == ["Guide", "Guide > Install"]


def test_a_rule_a_table_or_a_list_is_no_underlined_title():
    text = f"# One\n{PARAGRAPH * 4}\n---\n\n| a | b |\n|---|---|\n\n- item\n---\n{PARAGRAPH}"
    assert [name for *_, name in sections(text)] == ["One"]


def test_front_matter_is_no_heading():
    text = f"---\ntitle: x\n# not\n---\n\n# One\n{PARAGRAPH * 4}"
    assert [name for *_, name in sections(text)] == ["One"]


def test_a_title_is_plain_text():
    text = f"## The [`run()`](./run.md) *step* <a id='x'></a> {{#run}} ##\n{PARAGRAPH}"
    assert [name for *_, name in sections(text)] == ["The run() step"]


def test_a_snake_case_name_in_a_title_stays_whole():
    assert [name for *_, name in sections(f"# The max_retries option\n{PARAGRAPH}")] == [
        "The max_retries option"
    ]


def test_a_long_section_is_cut_between_paragraphs_and_keeps_its_name():
    text = "# Long\n" + (PARAGRAPH * 6 + "\n") * 10
    found = sections(text)
    assert len(found) > 2
    assert {name for *_, name in found} == {"Long"}
    rows = text.split("\n")
    assert all(not rows[start - 2].strip() for start, *_ in found[1:])
    assert all(sum(map(len, rows[a - 1 : b])) < 2_000 for a, b, _ in found)


def test_a_fence_is_not_cut_at_its_blank_lines():
    fence = "```py\n" + "x = 1\n\n" * 20 + "```\n"
    text = "# Long\n" + (PARAGRAPH * 8 + "\n" + fence + "\n") * 6
    rows = text.split("\n")
    for start, end, _ in sections(text):
        inside = rows[start - 1 : end]
        assert sum(row.startswith("```") for row in inside) % 2 == 0


def test_short_siblings_share_a_section():
    text = "# API\n\n" + "".join(f"## f{i}\n\nDoes {i}.\n\n" for i in range(30))
    found = sections(text)
    assert 2 < len(found) < 15
    assert found[1][2].startswith("API > f")


def test_a_heading_without_text_gives_its_place_to_the_next():
    text = f"# Guide\n\n## Install\n{PARAGRAPH * 25}"
    assert sections(text)[0][2] == "Guide > Install"


def test_crlf_and_no_final_newline_keep_line_numbers():
    text = f"# A\r\n{PARAGRAPH * 4}# B\r\nlast".replace("\r\n", "\n").replace("\n", "\r\n")
    assert [(start, end) for start, end, _ in sections(text)] == [(1, 5), (6, 7)]


def test_an_empty_file_has_no_section():
    assert sections("") == []
