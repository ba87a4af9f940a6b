#!/usr/bin/python3
"""The `clearway` program, installed in the folder of the other programs so that it finds them."""

import sys

from clearway.start import main

sys.exit(main())
