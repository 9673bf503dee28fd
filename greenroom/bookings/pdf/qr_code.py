"""Draws a URL as a QR code, as SVG."""

import io

import segno


def qr_code(url: str) -> str:
    drawn = io.BytesIO()
    segno.make_qr(url, error="m").save(
        drawn, kind="svg", border=0, xmldecl=False, nl=False, svgclass=None, lineclass=None
    )
    return drawn.getvalue().decode()
