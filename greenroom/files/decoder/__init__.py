"""Decodes files in processes of their own: finds their type, and makes their previews.

    node ──jobs (JSON lines)──> decoder process ──fork──> child per job ──> ffmpeg, heif-convert
         <──answers───────────                  <──pipe──

The bytes of a file come from strangers, and decoders have bugs. So the node never decodes: a child
does, with limits on memory, time, files and network, and what it says is checked (`client.py`).
The decoder process has the libraries in memory, so that a child starts within milliseconds.
"""
