"""The URL of a bucket: what it means, and what is refused."""

import pytest
from aiodynamo.credentials import Key, StaticCredentials
from msgspec.structs import replace

from greenroom.blobs.base import BlobKey
from greenroom.blobs.s3 import InvalidLocation, parse_location
from greenroom.blobs.s3.location import below

KEY = BlobKey("files/fil_1")


def test_on_aws_the_bucket_is_in_the_host() -> None:
    found = parse_location("s3://pictures?region=eu-central-1&prefix=prod/")
    assert found.endpoint == found.public == "https://pictures.s3.eu-central-1.amazonaws.com"
    assert found.path(KEY) == "/prod/files/fil_1"
    china = parse_location("s3://pictures?region=cn-north-1")
    assert china.endpoint == "https://pictures.s3.cn-north-1.amazonaws.com.cn"


def test_a_bucket_with_a_dot_is_in_the_path() -> None:
    """The certificate of AWS covers one label before its domain."""
    found = parse_location("s3://pictures.example.com?region=eu-central-1")
    assert found.endpoint == "https://s3.eu-central-1.amazonaws.com"
    assert found.path(KEY) == "/pictures.example.com/files/fil_1"


def test_another_server_is_named_by_its_endpoint() -> None:
    found = parse_location("s3://key:se%2Fcret@pictures?endpoint=http://127.0.0.1:9000/")
    assert (found.endpoint, found.public) == ("http://127.0.0.1:9000", "http://127.0.0.1:9000")
    assert (found.region, found.path(KEY)) == ("us-east-1", "/pictures/files/fil_1")
    assert found.credentials == StaticCredentials(Key("key", "se/cret"))
    public = "https://files.example.com:443"
    found = parse_location(f"s3://pictures?region=local&endpoint=http://minio:9000&public={public}")
    assert (found.region, found.public) == ("local", "https://files.example.com")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("s3://", "'' is not the name of a bucket"),
        ("s3://Pictures?region=eu-west-1", "'Pictures' is not the name"),
        ("s3://a_b?region=eu-west-1", "is not the name of a bucket"),
        ("s3://bucket:80?region=eu-west-1", "is not the name of a bucket"),
        ("s3://pictures", "the region is missing"),
        ("s3://pictures?region=Europe", "'Europe' is not the name of a region"),
        ("s3://pictures?region=eu-west-1&colour=red", "no option called colour"),
        ("s3://pictures?region=eu-west-1&region=eu-west-2", "given once only"),
        ("s3://pictures/folder?region=eu-west-1", "must have the form"),
        ("s3://pictures?region=eu-west-1#x", "must have the form"),
        ("s3://pictures?region=eu-west-1&prefix=/a", "the prefix must have"),
        ("s3://pictures?region=eu-west-1&prefix=a//b", "the prefix must have"),
        ("s3://pictures?region=eu-west-1&prefix=../", "the prefix must have"),
        ("s3://pictures?region=eu-west-1&prefix=a%20b", "the prefix must have"),
        (f"s3://pictures?region=eu-west-1&prefix={'a' * 101}", "the prefix must have"),
        ("s3://pictures?endpoint=minio:9000", "`endpoint` must have the form"),
        ("s3://pictures?endpoint=http://minio:9000/path", "`endpoint` must have the form"),
        ("s3://pictures?endpoint=http://minio:99999", "`endpoint` is not a URL"),
        ("s3://pictures?region=eu-west-1&public=https://a.example", "named by `endpoint`"),
        ("s3://key@pictures?region=eu-west-1", "key:secret@"),
        ("s3://hush:hush@Pic?region=eu-west-1", "'Pic' is not the name"),
        ("s3://[::1?region=eu-west-1", "does not parse"),
    ],
)
def test_a_wrong_url_is_refused_without_its_secret(url: str, reason: str) -> None:
    with pytest.raises(InvalidLocation) as refused:
        parse_location(url)
    assert reason in str(refused.value)
    assert "hush" not in str(refused.value)


def test_samples_have_a_folder_of_their_own_in_a_bucket() -> None:
    for prefix, own in (("", "demo/"), ("real/", "real/demo/"), ("real", "real/demo/")):
        url = f"s3://key:se%2Fcret@bucket?endpoint=http://127.0.0.1:9&prefix={prefix}"
        location = parse_location(below(url, "demo"))
        assert location == replace(parse_location(url), prefix=own)
