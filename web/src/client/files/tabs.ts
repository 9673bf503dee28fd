// The tabs of a user share the uploads: a Web Lock says which tab runs an upload, and a BroadcastChannel tells the
// others of it.
export class Tabs<Announcement> {
  #channel: BroadcastChannel | null = null;
  #releases = new Map<string, () => void>();
  isClosed = false;

  constructor(
    private readonly name: string,
    receive: (said: Announcement) => void,
  ) {
    if (typeof BroadcastChannel === "undefined") return;
    this.#channel = new BroadcastChannel(`greenroom uploads ${name}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Announcement>) => receive(data);
    if ("unref" in this.#channel) (this.#channel.unref as () => void)(); // Node
  }

  post(said: Announcement): void {
    this.#channel?.postMessage(said);
  }

  /** Runs `start` once this tab has the lock of the upload; keeps the lock until `release`. */
  async withLock(uploadId: string, start: () => void): Promise<void> {
    const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
    if (locks === undefined) return start();
    const hold = (): Promise<void> =>
      new Promise((release) => {
        this.#releases.set(uploadId, release);
        start();
      });
    await locks.request(`greenroom upload ${this.name} ${uploadId}`, hold);
  }

  release(uploadId: string): void {
    this.#releases.get(uploadId)?.();
    this.#releases.delete(uploadId);
  }

  close(): void {
    this.isClosed = true;
    for (const release of this.#releases.values()) release();
    this.#channel?.close();
    this.#channel = null;
  }
}
