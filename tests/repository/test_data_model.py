"""All tables are declared, and every name of the design documents is mapped to them.

`names_in_documents.py` has the names, copied from the documents. The tests fail if a row of
docs/data-model.md is missing, or names something that is not declared.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from greenroom.app import REGISTRY
from greenroom.blobs import keys
from greenroom.files.models import Attachment, File, Media, Scan, Variant
from greenroom.files.records import card_blob, original_blob, preview_blob
from greenroom.ids import FileId, ManifestId, ThreadId, UserId
from greenroom.messaging.attachment_items import attachment_item
from greenroom.sql.base import PURPOSE
from greenroom.store import describe
from greenroom.store.tables import Table, index_key_names
from scripts.generate_docs import ROOT, generated
from tests.repository.names_in_documents import NAMES

TABLES = REGISTRY.described_tables
PAGE = ROOT / "docs/data-model.md"
each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
each_document = pytest.mark.parametrize("title", NAMES)


def test_the_generated_part_is_what_the_declarations_say() -> None:
    assert PAGE.read_text() == generated("docs/data-model.md"), "run `make docs`"


def test_every_sql_table_says_what_it_is_for() -> None:
    found = [table for one in REGISTRY.sql_schemas for table in one.metadata.sorted_tables]
    assert len(found) > 10
    assert [table.name for table in found if not table.info.get(PURPOSE, "").endswith(".")] == []


def test_names_of_tables_and_indexes_are_unique() -> None:
    names = [table.name for table in TABLES]
    names += [index.name for table in TABLES for index in table.indexes]
    assert len(names) == len(set(names))
    assert len(TABLES) == 14


@each_table
def test_a_table_says_what_it_is_for_and_what_is_in_it(table: Table) -> None:
    assert table.purpose.endswith(".")
    assert table.kinds
    assert len({(kind.partition, kind.sort) for kind in table.kinds}) == len(table.kinds)
    for kind in table.kinds:
        assert kind.partition
        assert kind.meaning.endswith(".")
        assert (kind.sort is None) == (table.sort is None)


@each_table
def test_an_index_says_what_it_is_for_and_projects_no_key_twice(table: Table) -> None:
    for index in table.indexes:
        assert index.purpose.endswith(".")
        assert all(index_key_names(index))
        assert index_key_names(index) != table.key_names
        if isinstance(index.projection, tuple):
            carried = (*table.key_names, *index_key_names(index), *index.projection)
            # A table key may be an index key too; the projected attributes must be others.
            assert all(carried.count(name) == 1 for name in index.projection)
            assert all(index.projection)


def test_only_ephemeral_tables_and_the_queue_have_no_change_feed() -> None:
    assert {table.name for table in TABLES if not table.stream} == {
        "Background",
        "Ephemeral",
        "Events",
        "Timers",
        "Users",
    }


def test_the_readable_form_names_everything_within_a_hundred_columns() -> None:
    text = describe.readable(TABLES)
    assert max(map(len, text.splitlines())) <= 100
    words = set(re.findall(r"\S+", text))
    for table in TABLES:
        assert f"\n{table.name}\n" in f"\n{text}"
        assert {index.name for index in table.indexes} <= words
        for kind in table.kinds:
            assert {kind.partition, kind.sort or kind.partition} <= words


def test_the_page_of_a_table_names_its_keys_and_indexes() -> None:
    text = describe.markdown(TABLES)
    for table in TABLES:
        assert f"### {table.name}\n" in text
        for index in table.indexes:
            assert f"| `{index.name}` |" in text


@each_table
def test_cloudformation_defines_exactly_the_attributes_that_are_keys(table: Table) -> None:
    resource = describe.cloudformation(TABLES)["Resources"][table.name]
    properties = resource["Properties"]
    defined = [attribute["AttributeName"] for attribute in properties["AttributeDefinitions"]]
    used = {*table.key_names}.union(*map(index_key_names, table.indexes))
    assert sorted(defined) == sorted(used)
    assert all(a["AttributeType"] == "S" for a in properties["AttributeDefinitions"])
    for schema in _key_schemas(properties):
        assert [part["KeyType"] for part in schema] == ["HASH", "RANGE"][: len(schema)]
    assert len(_key_schemas(properties)) == 1 + len(table.indexes)


@each_table
def test_cloudformation_keeps_bills_recovers_and_expires_as_declared(table: Table) -> None:
    resource = describe.cloudformation(TABLES)["Resources"][table.name]
    properties = resource["Properties"]
    assert resource["Type"] == "AWS::DynamoDB::Table"
    assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    assert properties["TableName"] == table.name
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    assert properties.get("TimeToLiveSpecification", {}).get("AttributeName") == table.ttl
    stream = properties.get("StreamSpecification", {}).get("StreamViewType")
    assert stream == ("NEW_AND_OLD_IMAGES" if table.stream else None)


def _key_schemas(properties: dict[str, Any]) -> list[list[dict[str, str]]]:
    indexes = properties.get("GlobalSecondaryIndexes", [])
    return [properties["KeySchema"], *(index["KeySchema"] for index in indexes)]


@each_document
def test_every_name_of_a_document_has_its_row(title: str) -> None:
    rows = [named for named, *_ in _rows(title)]
    assert len(rows) == len(set(rows)), "a name has two rows"
    assert sorted(rows) == sorted(NAMES[title])


@each_document
def test_every_row_of_a_document_says_where_the_name_is_stored(title: str) -> None:
    for named, place, why in _rows(title):
        assert place, named
        assert "replaced" not in why.lower() or "because" in why, named


@each_document
def test_every_key_in_the_mapping_is_declared(title: str) -> None:
    tables = {table.name: table for table in TABLES}
    places = [
        (span, *match.groups())
        for _, *cells in _rows(title)
        for span in re.findall(r"`([^`]+)`", " ".join(cells))
        if (match := re.fullmatch(r"([A-Z]\w+)/([A-Z]\w*#?)((?:\.\w+)*)", span))
    ]
    assert places
    for span, table, item, _attributes in places:
        assert table in tables, span
        assert _has(tables[table], item), span


_IN_ATTACHMENT = r"`Messaging/MSG#\.attachments\.(\w+)`"


def _attachment_attributes() -> set[str]:
    """Those that the items of messages really have."""
    file = Attachment(
        file=FileId("fil_1"),
        name="a.jpg",
        mime="image/jpeg",
        size=9,
        media=Media.PICTURE,
        w=640,
        h=480,
        thumbhash="1Q",
        duration_ms=9,
        waveform="0f",
        pages=1,
        alt="A",
        band=1,
        rated=True,
        scan=Scan.CLEAN,
    )
    manifest = Attachment(
        kind="manifest",
        manifest=ManifestId("mnf_1"),
        name="a.zip",
        mime="application/zip",
        size=9,
        sha256="ab" * 32,
        url="https://example.com/a.zip",
    )
    for field in Attachment.__struct_fields__:
        assert getattr(file, field) or getattr(manifest, field), f"{field} is in neither"
    return set(attachment_item(file)) | set(attachment_item(manifest))


def test_the_attributes_of_attachments_are_those_of_the_items() -> None:
    rows = {named: f"{place} {why}" for document in NAMES for named, place, why in _rows(document)}
    all_named = {name for row in rows.values() for name in re.findall(_IN_ATTACHMENT, row)}
    listed = re.findall(_IN_ATTACHMENT, rows["msg_messages.attachments"])
    assert set(listed) == _attachment_attributes()
    assert len(listed) == len(set(listed))
    assert all_named == set(listed)


def test_rows_about_attachments_name_an_attribute_only_in_the_checked_way() -> None:
    for document in NAMES:
        for named, place, _ in _rows(document):
            assert not re.search(r"MSG#\.attachments`, `", place), named


def test_the_prefixes_of_blobs_are_those_of_the_documents() -> None:
    thread, file = ThreadId("thr_1"), FileId("fil_1")
    sent = File(
        id=file,
        owner=UserId("usr_1"),
        name="a.jpg",
        size=9,
        sha256="",
        thread=thread,
        created_ms=1,
        changed_ms=1,
    )
    assert original_blob(sent) == "threads/thr_1/attachments/fil_1"
    assert original_blob(replace(sent, thread=None)) == "users/usr_1/files/fil_1"
    assert card_blob(thread, "receipt.pdf") == "threads/thr_1/cards/receipt.pdf"
    assert preview_blob(file, Variant.BLURRED) == "msg-previews/fil_1/blurred"
    for key in (card_blob(thread, "receipt.pdf"), original_blob(sent)):
        keys.check(key)
    page = PAGE.read_text()
    for prefix in ("msg-previews/{fileId}/{variant}", "users/{userId}/files/"):
        assert f"`{prefix}`" in page


def test_the_page_says_how_many_tables_there_are() -> None:
    assert f"stores its items in {len(TABLES)} tables" in PAGE.read_text()


def _has(table: Table, item: str) -> bool:
    """`THR` is a key or an index, `PART#` the beginning of a key."""
    keys = [key for kind in table.kinds for key in (kind.partition, kind.sort or "")]
    if item.endswith("#"):
        return any(key.startswith(item) for key in keys)
    return item in keys or item in {index.name for index in table.indexes}


def _rows(title: str) -> Iterator[tuple[str, str, str]]:
    section = PAGE.read_text().split(f"\n### {title}\n")[1].split("\n### ")[0]
    for line in section.splitlines():
        if line.startswith("| ") and not line.startswith(("| ---", "| in the document")):
            named, place, why = (cell.strip() for cell in line.strip("|").split("|"))
            yield named.replace("`", ""), place, why
