"""The command scim2 of scim2-cli, with random values that depend on a seed only: scim2.py SEED ARGUMENT…"""

import random
import sys
import uuid

from scim2_cli import cli

random.seed(sys.argv.pop(1))
uuid.uuid4 = lambda: uuid.UUID(int=random.getrandbits(128), version=4)
cli(prog_name="scim2")
