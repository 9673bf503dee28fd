// Lets a visitor choose or drop a file, and computes its SHA-256 in pieces. The file is sent nowhere.
import { Sha256 } from "/sha256.js";

const PIECE = 4 * 1024 * 1024;
export const at = (id) => document.getElementById(id);
let running = 0;

/** Calls `verify(file, isCurrent)` for each file. `isCurrent()` is false once another one was chosen. */
export function onFile(verify) {
  const begin = (file) => {
    const own = ++running;
    if (file) verify(file, () => own === running);
  };
  at("file").addEventListener("change", ({ target }) => target.files[0] && begin(target.files[0]));
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
    if (file) begin(file);
  });
}

/** In hex; null if another file was chosen meanwhile, or it cannot be read, which is then shown. */
export async function hashOf(file, isCurrent) {
  show("", `Reading “${file.name}” …`, true);
  const hash = new Sha256();
  try {
    for (let start = 0; start < file.size; start += PIECE) {
      const piece = await file.slice(start, start + PIECE).arrayBuffer();
      if (!isCurrent()) return null;
      hash.update(new Uint8Array(piece));
      at("progress").value = Math.min(1, (start + PIECE) / file.size);
    }
  } catch {
    if (isCurrent()) show("wrong", `“${file.name}” could not be read. It may have changed meanwhile; try again.`);
    return null;
  }
  return isCurrent() ? hash.hex() : null;
}

export function show(kind, text, isWorking = false) {
  at("working").hidden = !isWorking;
  if (isWorking) at("progress").value = 0;
  at("result").className = kind;
  at("result").textContent = text;
  if (!isWorking) at("file").value = "";
}
