"""`python -m ui`: the same as the `steward` command."""

import sys

from ui.cli import main

if __name__ == "__main__":
    sys.exit(main())
