// Compares a file with the record on the page. The file is read in pieces and sent nowhere.
import { at, hashOf, onFile, show } from "/choose_file.js";
import { Sha256 } from "/sha256.js";

const record = at("record").dataset;

checkRecord();
at("recorded").textContent = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" }).format(
  new Date(record.createdAt),
);
at("size").textContent = `${number(record.size)} bytes`;
onFile(verify);

/** Computes the hash of the record itself from what the page shows. */
function checkRecord() {
  if (record.name === undefined) {
    at("own-hash").textContent = "It cannot be checked without the name";
    return;
  }
  const fields = [
    "greenroom-manifest-1", record.manifestId, Number(record.number), record.name,
    Number(record.size), record.sha256, record.createdAt, record.sealed, record.previous,
  ];
  const hash = new Sha256().update(new TextEncoder().encode(JSON.stringify(fields))).hex();
  const isRight = hash === record.hash;
  const mark = at("own-hash");
  mark.className = isRight ? "right" : "wrong";
  mark.textContent = isRight ? "✓ The record was not changed" : "✗ The record was changed: do not trust it";
}

async function verify(file, isCurrent) {
  if (file.size !== Number(record.size)) {
    const sizes = `It has ${number(file.size)} bytes, the delivered one has ${number(record.size)}.`;
    return show("wrong", `No. “${file.name}” is not the delivered file. ${sizes}`);
  }
  const hash = await hashOf(file, isCurrent);
  if (hash === null) return;
  if (hash === record.sha256) {
    return show("right", `Yes. “${file.name}” is the delivered file, byte for byte.`);
  }
  show("wrong", `No. “${file.name}” is not the delivered file. Its size is the same, its content is not.`);
}

function number(value) {
  return Number(value).toLocaleString();
}
