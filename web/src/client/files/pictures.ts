// Pictures on screen, as object URLs: each is downloaded once, and kept while it is shown and a while after.
//
// Careful: an object URL keeps its bytes in memory. Pictures that are not shown are dropped, the least
// recently used first, above 48 MB or 300 pictures.
import type { FileAccess, Pictures, PictureSize, ShownPicture } from "../types";
import type { Rest } from "../rest";
import { FileUrls } from "./urls";

const MAX_BYTES = 48_000_000;
const MAX_PICTURES = 300;
const RETRIES_MS = [1000, 4000, 15_000];
const SIZES: readonly PictureSize[] = ["small", "medium", "large"];

export function loadPictures(rest: Rest): PictureCache {
  const request = (isDownload: boolean) => (fileIds: string[], reveal: string[]) =>
    rest.request("post", "/v1/file-urls", { body: { fileIds, reveal, download: isDownload } });
  const absolute = (url: string): string => (url.startsWith("/") ? rest.api + url : url);
  return new PictureCache(new FileUrls(request(false)), new FileUrls(request(true)), absolute);
}

type Show = (picture: ShownPicture) => void;

interface Entry {
  listeners: Set<Show>;
  picture: ShownPicture | null;
  bytes: number;
  /** Counts how often it was loaded: an answer from before a change is not shown after it. */
  loads: number;
}

export class PictureCache implements Pictures {
  /** The least recently used first. */
  #entries = new Map<string, Entry>();

  constructor(
    readonly urls: FileUrls,
    private readonly downloads: FileUrls,
    private readonly absolute: (url: string) => string,
  ) {}

  /**
   * Calls `show` when the picture is there, and again when it changes. Returns the function that ends it.
   * A file that the user may not see clearly comes as its blurred version, or as `hidden` without a URL.
   */
  show(fileId: string, size: PictureSize, show: Show, { isRevealed = false } = {}): () => void {
    const key = `${fileId} ${size} ${isRevealed}`;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { listeners: new Set(), picture: null, bytes: 0, loads: 0 };
      void this.#load(key, entry, fileId, size, isRevealed);
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.listeners.add(show);
    if (entry.picture !== null) show(entry.picture);
    return () => {
      entry.listeners.delete(show);
      this.#shrink();
    };
  }

  /** With absolute URLs. */
  async access(
    fileId: string,
    { isRevealed = false, isDownload = false } = {},
  ): Promise<FileAccess | null> {
    const found = await (isDownload ? this.downloads : this.urls).get(fileId, isRevealed);
    if (found === null) return null;
    const urls = Object.entries(found.urls).map(([variant, url]) => [variant, this.absolute(url)]);
    return { ...found, urls: Object.fromEntries(urls) as FileAccess["urls"] };
  }

  /** The file has changed: what is on screen is loaded again. */
  changed(fileId: string): void {
    this.urls.forget(fileId);
    this.downloads.forget(fileId);
    for (const [key, entry] of this.#entries) {
      const [id, size, isRevealed] = key.split(" ");
      if (id !== fileId) continue;
      if (entry.listeners.size === 0) this.#drop(key, entry);
      else void this.#load(key, entry, fileId, size as PictureSize, isRevealed === "true");
    }
  }

  /** The user may see more of these files now: those on screen are loaded again, others when they are shown. */
  unblur(fileIds: ReadonlySet<string>): void {
    for (const [key, entry] of this.#entries) {
      const [id = ""] = key.split(" ");
      const isCovered = entry.picture?.shown === "blurred" || entry.picture?.shown === "hidden";
      if (isCovered && (entry.listeners.size === 0 || fileIds.has(id))) this.changed(id);
    }
  }

  /** Another viewer preference: everything may look different. */
  allChanged(): void {
    this.urls.clear();
    this.downloads.clear();
    for (const fileId of new Set([...this.#entries.keys()].map((key) => key.split(" ")[0] ?? ""))) {
      this.changed(fileId);
    }
  }

  clear(): void {
    for (const [key, entry] of this.#entries) this.#drop(key, entry);
    this.urls.clear();
  }

  async #load(
    key: string,
    entry: Entry,
    fileId: string,
    size: PictureSize,
    isRevealed: boolean,
  ): Promise<void> {
    const load = ++entry.loads;
    const isOver = (): boolean => this.#entries.get(key) !== entry || entry.loads !== load;
    for (const wait of [...RETRIES_MS, null]) {
      try {
        const access = await this.urls.get(fileId, isRevealed);
        const url = access === null ? null : pictureUrl(access, size);
        const content = url === null ? null : await download(this.absolute(url));
        if (isOver()) return;
        const { shown = "missing", canReveal = false } = access ?? {};
        return this.#set(entry, { shown, canReveal }, content);
      } catch {
        if (isOver()) return;
        this.urls.forget(fileId);
        if (wait === null) break;
        await new Promise((done) => setTimeout(done, wait));
        if (isOver()) return;
      }
    }
    this.#set(entry, { shown: "failed", canReveal: false }, null);
    if (entry.listeners.size === 0) this.#drop(key, entry);
  }

  #set(entry: Entry, how: Omit<ShownPicture, "url">, content: Blob | null): void {
    const before = entry.picture?.url ?? null;
    entry.bytes = content?.size ?? 0;
    entry.picture = { ...how, url: content === null ? null : URL.createObjectURL(content) };
    for (const show of [...entry.listeners]) show(entry.picture);
    if (before !== null) URL.revokeObjectURL(before);
    this.#shrink();
  }

  #shrink(): void {
    let bytes = 0;
    for (const entry of this.#entries.values()) bytes += entry.bytes;
    for (const [key, entry] of this.#entries) {
      if (bytes <= MAX_BYTES && this.#entries.size <= MAX_PICTURES) return;
      if (entry.listeners.size > 0) continue;
      bytes -= entry.bytes;
      this.#drop(key, entry);
    }
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    if (entry.picture?.url) URL.revokeObjectURL(entry.picture.url);
  }
}

/** The wanted size, or else the next larger or smaller one. A blurred file has one size. */
function pictureUrl({ shown, urls }: FileAccess, size: PictureSize): string | null {
  if (shown === "hidden") return null;
  if (shown === "blurred") return urls["blurred"] ?? null;
  const at = SIZES.indexOf(size);
  const sizes = [...SIZES.slice(at), ...SIZES.slice(0, at).reverse()];
  for (const one of sizes) if (urls[one] !== undefined) return urls[one];
  return null;
}

async function download(url: string): Promise<Blob> {
  const answer = await fetch(url, { credentials: "omit" });
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.blob();
}
