# The table's controller starts here; `controller/app.py` says what runs.
from controller import app

app.run()
