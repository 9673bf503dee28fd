"""An upload through kills of the server and the client: the short form of `make soak-files`."""

import pytest

from tests.torture.uploads import MOST_MB, run


@pytest.mark.timeout(240)
def test_a_file_is_uploaded_through_kills_of_both_sides() -> None:
    found = run(mb=30, server_kills=2, client_kills=1, seconds=3.0)
    assert found.is_same
    assert found.peak_mb < MOST_MB
    assert all(0.1 < part < 1 for part in found.killed_at)
    assert len(found.killed_at) == 3
