"""The refusals of moderation. Limits and blocks declare their own."""

from greenroom.errors import Clause, Problem


class ModeratorsOnly(Problem):
    """Only moderators may do this."""


class CaseNotFound(Problem):
    """This case was not found."""


class CaseClaimed(Problem):
    """Another moderator is working on this case."""


class CaseNotClaimed(Problem):
    """Claim the case before you decide it. A claim lasts fifteen minutes."""


class CaseChanged(Problem):
    """This case has changed and is now at version {version}. Load it again."""

    version: int


class CaseClosed(Problem):
    """This case is already decided."""


class OwnCase(Problem):
    """You are involved in this case, so another moderator decides it."""


class AdminsOnly(Problem):
    """Only an admin can do this: it concerns a member of staff."""


class RevokeRoleFirst(Problem):
    """Admins cannot be warned or suspended. Revoke the admin role first."""


class NotToYourself(Problem):
    """You cannot do this to your own account. Ask another admin."""


class NotSuspended(Problem):
    """This account is not suspended."""


class StillSuspended(Problem):
    """This account is suspended. Reinstate it before you grant a role."""


class NotStaff(Problem):
    """This account has no staff role."""


class StaffChanged(Problem):
    """Someone else changed this account at the same time. Load it again."""


class NoticeNotFound(Problem):
    """There is no such notice. It may have been acknowledged already."""


class DecisionDoesNotFit(Problem):
    """This decision does not apply to the case. Possible decisions: {possible}."""

    possible: tuple[str, ...]


class CannotRelease(Problem):
    """The text cannot be released now: {reason}. Remove it, or try again later."""

    reason: Clause


class InvalidReport(Problem):
    """The report is not valid: {reason}."""

    reason: Clause


class InvalidDecision(Problem):
    """The decision is not valid: {reason}."""

    reason: Clause
