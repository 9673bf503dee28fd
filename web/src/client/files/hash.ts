// The SHA-256 of a file. Large files are read in pieces, in a worker where there is one, so that the page
// stays responsive and the file is never in memory as a whole.
import type { HashOptions } from "../types";
import { Sha256 } from "./sha256";

const PIECE = 4 * 1024 * 1024;

/** In hexadecimal. Rejects if the file cannot be read, for instance because it has changed. */
export async function hashFile(file: Blob, options: HashOptions = {}): Promise<string> {
  if (file.size <= PIECE) return hashSmall(file, options);
  return (await hashInWorker(file, options)) ?? hashInPieces(file, options);
}

export async function hashInPieces(file: Blob, { onprogress, signal }: HashOptions): Promise<string> {
  const hash = new Sha256();
  for (let at = 0; at < file.size; at += PIECE) {
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
    signal?.throwIfAborted();
    onprogress?.(Math.min(at + PIECE, file.size));
  }
  return hash.hex();
}

async function hashSmall(file: Blob, { onprogress, signal }: HashOptions): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  signal?.throwIfAborted();
  onprogress?.(file.size);
  return new Sha256().update(bytes).hex();
}

export type FromHashWorker = { bytes: number } | { hash: string } | { failed: string };

/** Null if there is no worker: in Node, or embedded in another site. */
function hashInWorker(file: Blob, { onprogress, signal }: HashOptions): Promise<string | null> {
  const worker = startWorker();
  if (worker === null) return Promise.resolve(null);
  return new Promise<string | null>((done, failed) => {
    signal?.addEventListener("abort", () => failed(signal.reason), { once: true });
    worker.onerror = () => done(null); // its script did not load
    worker.onmessage = ({ data }: MessageEvent<FromHashWorker>) => {
      if ("bytes" in data) onprogress?.(data.bytes);
      else if ("hash" in data) done(data.hash);
      else failed(new Error(data.failed));
    };
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

function startWorker(): Worker | null {
  if (typeof Worker === "undefined") return null;
  try {
    return new Worker(new URL("./hashWorker.ts", import.meta.url), { type: "module" });
  } catch {
    return null; // a worker's script must come from the page's own origin
  }
}
