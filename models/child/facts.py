"""`python -m models.child.facts`: one JSON line about the installed engine, for `doctor`. Loads no model."""

import json
import os


def main() -> None:
    out = os.dup(1)
    os.dup2(2, 1)  # what C code prints must not mix with the answer
    from models.child import native

    facts = {"engine": native.ENGINE, "system_info": native.system_info(), "offloads": native.offloads()}
    os.write(out, json.dumps(facts).encode() + b"\n")


if __name__ == "__main__":
    main()
