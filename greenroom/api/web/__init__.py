"""The web app: what `make web` has built of web/, and the routes that serve it.

`built/` is no part of the sources. Without it the server runs as well, and `/` is the page of
`api/pages/landing.py`, which says what is missing.
"""

from greenroom.api.web.routes import site_routes
from greenroom.api.web.site import Site

__all__ = ["Site", "site_routes"]
