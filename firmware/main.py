# The table's controller starts here; `controller/app.py` says what runs.
import gc

# Collecting early and often keeps the heap in one piece while modules load; later there is little to collect.
gc.threshold(4096)

from controller import app  # noqa: E402

app.run()
