"""The code blocks and links of a message, exactly as they stand in its source."""

from dataclasses import dataclass

from ui.drawing.markdown_lines import parser


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    language: str
    code: str

    @property
    def label(self) -> str:
        """For a list to choose from."""
        lines = self.code.count("\n") + 1
        first = next((line.strip() for line in self.code.split("\n") if line.strip()), "")
        return f"{self.language or 'text'}, {lines:,} {'line' if lines == 1 else 'lines'}: {first[:60]}"


def code_blocks(source: str) -> tuple[CodeBlock, ...]:
    """Fenced and indented blocks in order, without the newline before the closing fence."""
    return tuple(
        CodeBlock(language=token.info.split()[0] if token.info.split() else "", code=token.content.removesuffix("\n"))
        for token in parser().parse(source)
        if token.type in ("fence", "code_block")
    )


def links(source: str) -> tuple[str, ...]:
    """Every address in the message, each once: links, images and bare ones."""
    from ui.drawing.markdown_lines import markdown_lines

    found: dict[str, None] = {}
    for line in markdown_lines(source, 10_000):
        for _, look in line.runs:
            if look.link:
                found[look.link] = None
    return tuple(found)
