"""An upload through kills of the server and the client: the short form of `make soak-files`."""

import pytest

from tests.buckets import with_prefix
from tests.torture.uploads import MOST_MB, Kill, Outcome, run


@pytest.mark.timeout(240)
def test_a_file_is_uploaded_by_tus_through_kills_of_both_sides() -> None:
    found = run(mb=30, server_kills=2, client_kills=1, seconds=3.0)
    assert found.protocol == "tus"
    assert_uploaded(found, uploading=["server", "client", "server"])


@pytest.mark.timeout(240)
def test_a_file_is_uploaded_in_parts_through_kills_of_both_sides(s3_url: str) -> None:
    found = run(mb=60, server_kills=1, client_kills=1, seconds=4.0, blobs=with_prefix(s3_url))
    assert found.protocol == "parts"
    assert_uploaded(found, uploading=["client", "server"])


def assert_uploaded(found: Outcome, uploading: list[str]) -> None:
    assert found.is_same
    assert found.has_lost_nothing, found.resumed_at
    assert len(found.resumed_at) > len(uploading)
    assert found.peak_mb < MOST_MB
    *earlier, completing, checking = found.kills
    assert [kill.victim for kill in earlier] == uploading
    assert all(kill.during == "upload" and 0.1 < kill.arrived < 1 for kill in earlier)
    assert (completing, checking) == (
        Kill("server", "completion", 1.0),
        Kill("server", "check", 1.0),
    )
    assert {"server", "decoder"} <= found.processes_mb.keys()
    assert found.total_peak_mb >= max(found.processes_mb.values())
