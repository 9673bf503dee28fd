// Tells whether a PDF is a document that was signed here. Only the file's SHA-256 is sent.
import { at, hashOf, onFile, show } from "/choose_file.js";

const MOST_BYTES = 30_000_000; // no document is larger
const TIMEOUT_MS = 10_000;
const linked = new URLSearchParams(location.search).get("document");
if (linked) at("linked").textContent = `The link is that of document ${linked.slice(0, 60)}.`;
onFile(verify);

async function verify(file, isCurrent) {
  fill([]);
  if (file.size > MOST_BYTES) return show("wrong", unknown(file));
  const hash = await hashOf(file, isCurrent);
  if (hash === null) return;
  const answer = await ask(hash);
  if (!isCurrent()) return;
  if (typeof answer === "string") return show("wrong", answer);
  show(...told(file, answer));
  if (answer.status !== "unknown") fill(rows(answer));
}

/** What the server knows of the hash; a text if it could not be asked. */
async function ask(hash) {
  try {
    const response = await fetch(`/v1/documents/verify/${hash}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok) return await response.json();
    if (response.status === 429) {
      const seconds = Number(response.headers.get("Retry-After")) || 60;
      return `Too many files were checked from your network. Try again in ${seconds} seconds.`;
    }
  } catch {
    return "The server could not be reached. Check your connection and try again.";
  }
  return "The server could not check the file. Try again later.";
}

/** The kind of the result, and its text. */
function told(file, { status, documentId, signatures, signedAt, endedAt }) {
  const name = `“${file.name}”`;
  if (status === "unknown") return ["wrong", unknown(file)];
  if (linked && linked !== documentId) {
    return ["wrong", `Careful: ${name} is a document of this marketplace, but not the one that the link is for. It is ${documentId}.`];
  }
  const people = signatures === 1 ? "one person" : `${signatures} people`;
  const signed = signedAt ? `signed by ${people} on ${date(signedAt)}` : "issued here and not signed by everybody";
  switch (status) {
    case "signed":
      return ["right", `Yes. ${name} is the document that was ${signed}, byte for byte.`];
    case "superseded":
      return ["wrong", `No longer valid. ${name} was ${signed}. A newer version replaced it on ${date(endedAt)}.`];
    case "voided":
      return ["wrong", `No longer valid. ${name} was ${signed}. It was voided on ${date(endedAt)}.`];
    case "pending":
      return ["wrong", `Not yet. ${name} was issued here, and not everybody has signed it.`];
    default:
      return ["wrong", "This page is older than the server. Load it again."];
  }
}

function unknown(file) {
  return (
    `No. “${file.name}” is not a document that was signed here. A copy that was printed, scanned or ` +
    "saved again is another file: try the one that you downloaded from the conversation."
  );
}

function rows({ documentId, version, signedAt, endedAt }) {
  const all = [["Document", documentId], ["Version", version], ["Signed", signedAt && date(signedAt)], ["Ended", endedAt && date(endedAt)]];
  return all.filter(([, value]) => value);
}

function fill(list) {
  at("record").hidden = list.length === 0;
  at("rows").replaceChildren(
    ...list.map(([label, value]) => {
      const [row, head, cell] = ["tr", "th", "td"].map((name) => document.createElement(name));
      head.scope = "row";
      head.textContent = label;
      cell.textContent = value;
      row.append(head, cell);
      return row;
    }),
  );
}

function date(at) {
  return new Intl.DateTimeFormat(undefined, { dateStyle: "long", timeStyle: "short" }).format(new Date(at));
}
