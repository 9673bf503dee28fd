// Download URLs of files: asked for in batches, used until they expire.
//
// Careful: a URL works for a minute and needs no token. Ask for it when it is used, and again if it fails.
import type { FileAccess } from "../types";

const BATCH = 50;
const BATCH_DELAY_MS = 15;
/** A URL that is about to expire is not used. The browser's clock may be wrong, so it is not kept longer
 * than a minute, whatever the server says. */
const MARGIN_MS = 5000;
const MAX_LIFETIME_MS = 60_000;

/** One request: the files that the user may see, with their URLs. */
export type RequestUrls = (
  fileIds: string[],
  revealed: string[],
) => Promise<{ files: FileAccess[]; expiresAt: string }>;

interface Wanted {
  fileId: string;
  isRevealed: boolean;
  done: (access: FileAccess | null) => void;
  failed: (error: unknown) => void;
}

export class FileUrls {
  #known = new Map<string, { access: Promise<FileAccess | null>; until: number }>();
  #wanted: Wanted[] = [];

  constructor(private readonly request: RequestUrls) {}

  /** Null if the file does not exist or the user may not see it. `isRevealed`: the user asked to see a
   * blurred file. */
  get(fileId: string, isRevealed = false): Promise<FileAccess | null> {
    const key = `${fileId} ${isRevealed}`;
    const known = this.#known.get(key);
    if (known !== undefined && known.until > Date.now()) return known.access;
    const access = new Promise<FileAccess | null>((done, failed) => {
      this.#wanted.push({ fileId, isRevealed, done, failed });
      if (this.#wanted.length === 1) setTimeout(() => void this.#flush(), BATCH_DELAY_MS);
    });
    this.#clean();
    this.#known.set(key, { access, until: Date.now() + MAX_LIFETIME_MS - MARGIN_MS });
    access.catch(() => this.forget(fileId));
    return access;
  }

  /** A URL has failed, or the file has changed. */
  forget(fileId: string): void {
    this.#known.delete(`${fileId} false`);
    this.#known.delete(`${fileId} true`);
  }

  clear(): void {
    this.#known.clear();
  }

  #limit(key: string, expiresAt: number): void {
    const known = this.#known.get(key);
    if (known !== undefined) known.until = Math.min(known.until, expiresAt - MARGIN_MS);
  }

  #clean(): void {
    const now = Date.now();
    for (const [key, { until }] of this.#known) if (until <= now) this.#known.delete(key);
  }

  async #flush(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = [];
    for (let at = 0; at < wanted.length; at += BATCH) await this.#load(wanted.slice(at, at + BATCH));
  }

  async #load(wanted: Wanted[]): Promise<void> {
    // A file can be wanted both ways at once: then they are two requests.
    for (const isRevealed of [false, true]) {
      const part = wanted.filter((one) => one.isRevealed === isRevealed);
      if (part.length === 0) continue;
      const fileIds = [...new Set(part.map((one) => one.fileId))];
      try {
        const { files, expiresAt } = await this.request(fileIds, isRevealed ? fileIds : []);
        const byId = new Map(files.map((one) => [one.fileId, isRevealed ? asRevealed(one) : one]));
        for (const fileId of fileIds) this.#limit(`${fileId} ${isRevealed}`, Date.parse(expiresAt));
        for (const one of part) one.done(byId.get(one.fileId) ?? null);
      } catch (error) {
        for (const one of part) one.failed(error);
      }
    }
  }
}

/** The server says how a file is shown to the user before they ask for more; here they did. */
function asRevealed(access: FileAccess): FileAccess {
  return access.shown === "blurred" && access.canReveal ? { ...access, shown: "clear" } : access;
}
