"""Where the model is, and what it says about a picture."""

from pathlib import Path
from typing import Final

MODEL: Final = Path(__file__).parent / "built" / "model.onnx"
"""`make vision` builds it. It is not in git."""
