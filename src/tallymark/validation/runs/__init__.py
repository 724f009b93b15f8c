"""Run folders: every finished fit is kept, so that what was interrupted goes on from there."""
