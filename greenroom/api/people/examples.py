"""Examples of every request and response of people."""

from collections.abc import Mapping

from greenroom.api.example_values import FILE, MAYA, OPENED
from greenroom.api.people.rest.me import Me, NewNames, NewPicture, SignUp
from greenroom.api.people.rest.people import NewPerson, PeoplePage, PersonUpdate
from greenroom.api.people.shapes import Person, Picture, Profile
from greenroom.api.route_docs import OperationExample
from greenroom.people.actor import Scope

_AVATAR = Picture(FILE, "1QcSHQRnh493V4dIh4eXh1h4kJUI", 0)
_PERSON = Person(MAYA, "maya", "Maya Lindqvist", "Maya", "Lindqvist", None, _AVATAR, 3)
_KNOWN = {name: getattr(_PERSON, name) for name in _PERSON.__struct_fields__} | {
    "is_verified": True,
    "follower_count": 12,
    "following_count": 3,
    "post_count": 0,
    "joined_at": OPENED,
    "suspension": None,
    "metadata": {},
}
_ME = Me(**_KNOWN, email="maya@example.com", scopes=[Scope.USER])

EXAMPLES: Mapping[str, OperationExample] = {
    "getMe": OperationExample({200: _ME}),
    "signUp": OperationExample(
        {200: _ME, 201: _ME}, SignUp("maya", "Maya Lindqvist", "maya@example.com")
    ),
    "renameMe": OperationExample({200: _ME}, NewNames(display_name="Maya L.")),
    "setAvatar": OperationExample({200: _ME}, NewPicture(FILE)),
    "getPerson": OperationExample({200: Profile(**_KNOWN)}),
    "updatePerson": OperationExample(
        {200: Profile(**{**_KNOWN, "metadata": {"plan": "studio"}})},
        PersonUpdate({"plan": "studio"}),
    ),
    "findPeople": OperationExample({200: PeoplePage([_PERSON], None)}),
    "createPerson": OperationExample(
        {201: Profile(**_KNOWN)}, NewPerson("maya", first_name="Maya")
    ),
}
