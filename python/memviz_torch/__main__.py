"""``python -m memviz_torch`` is the program ``memviz``."""

import sys

from memviz_torch._program import main

sys.exit(main())
