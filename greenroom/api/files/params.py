"""Declares the path parameters of files, and the context as a parameter of routes."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import PathParameter, SkipValidation

from greenroom.api.params import ID, MAX_ID
from greenroom.files import Files
from greenroom.ids import FileId, ManifestId

TheFiles: TypeAlias = NamedDependency[SkipValidation[Files]]

FileIdInPath: TypeAlias = Annotated[
    FileId, PathParameter(name="fileId", pattern=ID, max_length=MAX_ID)
]
ManifestIdInPath: TypeAlias = Annotated[
    ManifestId, PathParameter(name="manifestId", pattern=ID, max_length=MAX_ID)
]
