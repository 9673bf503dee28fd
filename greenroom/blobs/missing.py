"""Stands in for the blob store where no file is read or written, such as in most commands."""

from typing import Any, NoReturn


class MissingBlobs:
    """Every use of it is a bug."""

    def __getattr__(self, name: str) -> Any:
        def refuse(*_: object, **__: object) -> NoReturn:
            raise RuntimeError(f"no blob store is open here, so {name} cannot be called")

        return refuse
