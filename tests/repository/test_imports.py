"""What a server imports: nothing that decodes files, which separate processes do."""

import subprocess
import sys

_DECODERS = ("PIL", "numpy", "onnxruntime", "pypdfium2")


def test_a_server_imports_nothing_that_decodes_files() -> None:
    program = "import sys, greenroom.cli, greenroom.serve; print(*sys.modules)"
    loaded = subprocess.run(
        (sys.executable, "-c", program), capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    assert "greenroom.files.check_file" in loaded
    assert not set(_DECODERS) & set(loaded)
