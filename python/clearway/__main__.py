"""`python -m clearway` is `clearway`."""

import sys

from clearway.start import main

sys.exit(main())
