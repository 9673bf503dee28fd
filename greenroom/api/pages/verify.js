// Compares a file with the record on the page. The file is read in pieces and sent nowhere.
import { Sha256 } from "/sha256.js";

const PIECE = 4 * 1024 * 1024;
const at = (id) => document.getElementById(id);
const record = at("record").dataset;
let running = 0;

checkRecord();
at("recorded").textContent = new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" }).format(
  new Date(record.createdAt),
);
at("size").textContent = `${number(record.size)} bytes`;
at("file").addEventListener("change", ({ target }) => target.files[0] && verify(target.files[0]));
at("cancel").addEventListener("click", () => {
  running++;
  show("", "Canceled. Choose a file to begin again.");
});
const drop = at("drop");
for (const kind of ["dragenter", "dragover"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
addEventListener("dragleave", (event) => !event.relatedTarget && drop.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const file = event.dataTransfer?.files[0];
  if (file) verify(file);
});

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

async function verify(file) {
  const own = ++running;
  if (file.size !== Number(record.size)) {
    const sizes = `It has ${number(file.size)} bytes, the delivered one has ${number(record.size)}.`;
    return show("wrong", `No. “${file.name}” is not the delivered file. ${sizes}`);
  }
  show("", `Reading “${file.name}” …`, true);
  const hash = new Sha256();
  try {
    for (let start = 0; start < file.size; start += PIECE) {
      const piece = await file.slice(start, start + PIECE).arrayBuffer();
      if (own !== running) return;
      hash.update(new Uint8Array(piece));
      at("progress").value = Math.min(1, (start + PIECE) / file.size);
    }
  } catch {
    if (own !== running) return;
    return show("wrong", `“${file.name}” could not be read. It may have changed meanwhile; try again.`);
  }
  if (own !== running) return;
  if (hash.hex() === record.sha256) {
    return show("right", `Yes. “${file.name}” is the delivered file, byte for byte.`);
  }
  show("wrong", `No. “${file.name}” is not the delivered file. Its size is the same, its content is not.`);
}

function show(kind, text, isWorking = false) {
  at("working").hidden = !isWorking;
  if (isWorking) at("progress").value = 0;
  at("result").className = kind;
  at("result").textContent = text;
  if (!isWorking) at("file").value = "";
}

function number(value) {
  return Number(value).toLocaleString();
}
