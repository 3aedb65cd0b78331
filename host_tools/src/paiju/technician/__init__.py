"""The technician's tools at the readers: zones, tile registration and audit, antenna calibration."""
