"""Declares safety's path parameters, and the context as a parameter of routes."""

from typing import Annotated, TypeAlias

from litestar.di import NamedDependency
from litestar.params import PathParameter, SkipValidation

from greenroom.api.params import ID, MAX_ID
from greenroom.ids import NoticeId
from greenroom.safety import Safety
from greenroom.safety.models import CaseId

TheSafety: TypeAlias = NamedDependency[SkipValidation[Safety]]

NoticeIdInPath: TypeAlias = Annotated[
    NoticeId,
    PathParameter(name="noticeId", pattern=ID, max_length=MAX_ID, description="The notice's id."),
]
CaseIdInPath: TypeAlias = Annotated[
    CaseId, PathParameter(name="caseId", pattern=ID, max_length=MAX_ID)
]
