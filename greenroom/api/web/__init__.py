"""Serves the built web app.

`make web` builds web/ into `built/`, which is not part of the sources. Without it the server still
runs, and `/` is the page of `api/pages/landing.py`, which says what is missing.
"""

from greenroom.api.web.routes import content_policy, site_routes
from greenroom.api.web.site import Site

__all__ = ["Site", "content_policy", "site_routes"]
