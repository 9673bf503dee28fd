"""Loads a file for a moderator, who sees only the files of a case that they may judge.

A moderator's role opens no conversation: the case must be open, and the file must be one that it is
about.
"""

from collections.abc import Mapping, Sequence

from greenroom.files import access
from greenroom.files.context import Files
from greenroom.files.models import File, FileState
from greenroom.files.problems import FileNotFound
from greenroom.ids import FileId
from greenroom.people import directory, staff
from greenroom.people.actor import Actor
from greenroom.safety import access as safety_access
from greenroom.safety.models import Case, CaseId, SomePerson, WholeThread
from greenroom.safety.permissions import Act, allowed, rank_of, rank_of_role
from greenroom.safety.problems import AdminsOnly, CaseClosed, OwnCase


async def file_of_case(
    files: Files, actor: Actor, case_id: CaseId, file_id: FileId
) -> tuple[Case, File]:
    case = await safety_access.case(files.safety, actor, case_id)
    if not case.is_open:
        raise CaseClosed
    file = await access.load(files, file_id)
    if file is None or file.state is FileState.DELETED or not is_about(case, file):
        raise FileNotFound
    await _check_may_judge(files, actor, file)
    return case, file


async def files_of_cases(files: Files, cases: Sequence[Case]) -> Mapping[CaseId, tuple[File, ...]]:
    """Those that are still there, with the present picture of a person who was reported. The caller
    has checked that the actor may see the cases."""
    pictures = await _pictures(files, cases)
    wanted = {case.id: (*case.files, *pictures.get(case.id, ())) for case in cases}
    ids = list(dict.fromkeys(file for some in wanted.values() for file in some))
    found: dict[FileId, File] = {}
    for start in range(0, len(ids), access.MAX_LOAD):
        found |= await access.load_many(files, ids[start : start + access.MAX_LOAD])
    there = {id: file for id, file in found.items() if file.state is not FileState.DELETED}
    return {case: tuple(there[id] for id in some if id in there) for case, some in wanted.items()}


async def _pictures(files: Files, cases: Sequence[Case]) -> dict[CaseId, tuple[FileId]]:
    """Of closed cases nothing is shown that was not in them."""
    about = {
        case.id: case.subject.user
        for case in cases
        if case.is_open and isinstance(case.subject, SomePerson)
    }
    if not about:
        return {}
    people = {one.id: one for one in await directory.by_ids(files.people, tuple(about.values()))}
    return {
        case: (picture.file,)
        for case, user in about.items()
        if user in people and (picture := people[user].avatar) is not None
    }


def is_about(case: Case, file: File) -> bool:
    """Whether a moderator who decides the case needs to see the file. A report about a person is
    about their picture, and one about a conversation is about what it shows."""
    if file.id in case.files:
        return True
    match case.subject:
        case SomePerson(user):
            return file.use is not None and (file.use.kind, file.use.target) == ("avatar", user)
        case WholeThread(thread):
            use = file.use
            return use is not None and not use.is_waiting and use.target == thread
        case _:
            return False


async def _check_may_judge(files: Files, actor: Actor, file: File) -> None:
    """A case about a whole conversation is about nobody in particular, but its files have an
    owner."""
    role = rank_of_role(await staff.role_of(files.people, file.owner))
    if file.owner == actor.user:
        raise OwnCase
    if not allowed(Act.BAND, rank_of(actor), role):
        raise AdminsOnly
