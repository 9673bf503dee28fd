"""Descriptions and lengths of the properties of people."""

from collections.abc import Mapping

from greenroom.api.openapi.property import (
    Property,
    described,
    id_property,
    text_property,
    time_property,
)
from greenroom.people import suspend
from greenroom.people.models import (
    MAX_EMAIL,
    MAX_NAME,
    MAX_PICTURE,
    MAX_USERNAME,
    MIN_USERNAME,
)

PROPERTIES: Mapping[str, Property] = {
    "userId": id_property("The person's id: ours, or the `sub` of your identity provider."),
    "username": Property(
        "The unique name, in lower case: a-z, 0-9, `.` and `_`.",
        max_length=MAX_USERNAME,
        min_length=MIN_USERNAME,
    ),
    "displayName": text_property("The name to show for the person.", MAX_NAME),
    "firstName": text_property("The first name.", MAX_NAME),
    "lastName": text_property("The last name.", MAX_NAME),
    "email": text_property("The e-mail address. Only its owner sees it.", MAX_EMAIL),
    "profilePicture": text_property(
        "The address of a profile picture that is kept elsewhere.", MAX_PICTURE
    ),
    "avatar": described("The picture that the person has uploaded."),
    "isVerified": described("Whether the operator has verified the person."),
    "followerCount": described("How many people follow this person."),
    "followingCount": described("How many people this person follows."),
    "postCount": described("How many posts the person has."),
    "joinedAt": time_property("When the account was created."),
    "scopes": described("The scopes of the token."),
    "people": described("The people on this page."),
    "suspension": described("The suspension in force. Only its subject and moderators see it."),
    "Suspension.until": time_property("When the suspension ends."),
    "Suspension.reason": text_property("Why the account is suspended.", suspend.MAX_REASON),
    "Me.version": described(
        "Changes when a name or the avatar changes. The `ETag` of the account."
    ),
}


PARAMETERS: Mapping[str, str] = {
    "id": "The ids of the people to look up; repeat the parameter for several.",
    "name": "The beginning of a name or of a username: at least two letters.",
    "userId": "The person's id.",
    "username": "The whole username.",
}
