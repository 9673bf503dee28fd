"""What moderation refuses. Limits and blocks name their own."""

from greenroom.errors import Problem


class ModeratorsOnly(Problem):
    """This is for moderators."""


class CaseNotFound(Problem):
    """There is no such case."""


class CaseClaimed(Problem):
    """Another moderator is looking at this case."""


class CaseNotClaimed(Problem):
    """Claim the case before you decide on it; a claim lasts fifteen minutes."""


class CaseChanged(Problem):
    """There is something new about this case: it is at version {version}. Look again."""

    version: int


class CaseClosed(Problem):
    """This case has been decided already."""


class OwnCase(Problem):
    """Nobody decides on a case about themselves."""


class DecisionDoesNotFit(Problem):
    """This case cannot end so. It can end with: {possible}."""

    possible: str


class CannotRelease(Problem):
    """The text cannot enter its conversation as things stand: {reason}. Remove it, or wait."""

    reason: str


class InvalidReport(Problem):
    """The report does not fit: {reason}."""

    reason: str


class InvalidDecision(Problem):
    """The decision does not fit: {reason}."""

    reason: str
