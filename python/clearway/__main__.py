"""`python -m clearway` is `clearway`."""

import sys

from clearway.commands import main

sys.exit(main())
