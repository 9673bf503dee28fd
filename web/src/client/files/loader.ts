// Loads the code of uploads and pictures when it is first needed, and tells it what happens before and after.
import { Value } from "../observable";
import type { On, OnReset, OnSync } from "../events";
import type { Rest } from "../rest";
import type { Storage } from "../storage";
import type { OutgoingAttachment, Picture, ProblemDocument, SafeMode, StoredFile, Upload } from "../types";
import type { FilesClient } from "./filesClient";
import type { PictureCache } from "./pictures";

export interface FilesHost {
  readonly rest: Rest;
  /** Resolves once the user is known. */
  readonly userId: Promise<string>;
  readonly storage: Storage | null;
  /** The server knows the file of an upload. */
  announced(uploadId: string, fileId: string): void;
  uploadFailed(uploadId: string, problem: ProblemDocument): void;
}

export class FilesLoader {
  #files: Promise<FilesClient> | null = null;
  readonly loaded = new Value<FilesClient | null>(null);
  #pictures: Promise<PictureCache> | null = null;
  #loadedPictures: PictureCache | null = null;
  /** As the pictures were last loaded for it; null if that is not known. */
  #safeMode: SafeMode | null = null;
  /** By file. A moderator may have set how a picture is shown. */
  readonly #pictureVersions = new Map<string, number>();
  #isClosed = false;

  constructor(private readonly host: FilesHost) {}

  registerEvents(on: On, onSync: OnSync, onReset: OnReset): void {
    on("file.ready", ({ file }) => this.#changed(file));
    on("file.refused", ({ file }) => this.#changed(file));
    on("file.banded", ({ file }) => this.#changed(file));
    // A moderator may have set how the files of a message are shown.
    on("message.edited", ({ message }) => {
      for (const { fileId } of message.attachments ?? []) {
        if (fileId !== null) this.#loadedPictures?.changed(fileId);
      }
    });
    on("file_preferences.changed", ({ preferences }) => this.#setSafeMode(preferences.safeMode));
    onSync("files", ({ changed, deleted, preferences }) => {
      changed.forEach((file) => this.#changed(file));
      deleted.forEach((fileId) => this.loaded.get()?.setDeleted(fileId));
      if (preferences !== null) this.#setSafeMode(preferences.safeMode);
    });
    onReset("files", () => {
      void this.loaded.get()?.recheck();
      void this.loaded.get()?.reloadSafeMode();
      this.#safeMode = null;
      this.#loadedPictures?.allChanged();
    });
  }

  files(): Promise<FilesClient> {
    this.#files ??= this.#load().catch((error: unknown) => {
      this.#files = null; // the code could not be loaded: the next call tries again
      throw error;
    });
    return this.#files;
  }

  pictures(): Promise<PictureCache> {
    this.#pictures ??= this.#loadPictures().catch((error: unknown) => {
      this.#pictures = null;
      throw error;
    });
    return this.#pictures;
  }

  async #load(): Promise<FilesClient> {
    const { rest, storage } = this.host;
    const [{ FilesClient }, userId] = await Promise.all([import("./filesClient"), this.host.userId]);
    const files = new FilesClient(rest, userId, {
      announced: (uploadId, fileId) => this.host.announced(uploadId, fileId),
      changed: ({ uploadId, fileId, state, problem }) => {
        if (state === "failed" && fileId === null && problem) this.host.uploadFailed(uploadId, problem);
      },
      setPending: (isPending) => {
        try {
          if (isPending) storage?.setItem(this.#pendingKey(userId), "1");
          else storage?.removeItem(this.#pendingKey(userId));
        } catch {
          // Full or blocked: only a reload would not go on by itself.
        }
      },
    }, (mode) => this.#setSafeMode(mode));
    this.loaded.set(files);
    if (!this.#isClosed) await files.restore();
    return files;
  }

  async #loadPictures(): Promise<PictureCache> {
    const { rest } = this.host;
    const { loadPictures } = await import("./pictures");
    return (this.#loadedPictures = loadPictures(rest));
  }

  /** An earlier page has left uploads: goes on with them. */
  start(userId: string): void {
    if (this.host.storage?.getItem(this.#pendingKey(userId)) != null) {
      this.files().catch(() => undefined);
    }
  }

  /** The connection is back. */
  wake(): void {
    this.loaded.get()?.wake();
    void this.loaded.get()?.recheck();
  }

  /** The picture of a person or conversation, as the server has it now. */
  pictureSeen({ fileId, version }: Picture): void {
    const known = this.#pictureVersions.get(fileId);
    if (known !== undefined && version <= known) return;
    this.#pictureVersions.set(fileId, version);
    if (known !== undefined) this.#loadedPictures?.changed(fileId);
  }

  /** Another rule decides how pictures are shown, such as the safe mode of a conversation. */
  allChanged(): void {
    this.#loadedPictures?.allChanged();
  }

  /** The user knows the owners of these files now. */
  unblur(fileIds: readonly string[]): void {
    this.#loadedPictures?.unblur(new Set(fileIds));
  }

  /** The uploads of a message that is being sent. */
  attach(uploadIds: readonly string[]): OutgoingAttachment[] {
    return uploadIds.flatMap((id) => {
      const upload = this.loaded.get()?.find(id);
      this.loaded.get()?.setSent(id, true);
      return upload ? [toAttachment(upload)] : [];
    });
  }

  /** The same files as the uploads have them now: an upload that was tried again has another file. */
  current(attachments: readonly OutgoingAttachment[]): OutgoingAttachment[] {
    return attachments.map((one) => {
      const upload = one.uploadId === null ? null : this.loaded.get()?.find(one.uploadId);
      return upload ? toAttachment(upload) : one;
    });
  }

  retry(attachments: readonly OutgoingAttachment[]): void {
    for (const { uploadId } of attachments) if (uploadId !== null) this.loaded.get()?.retry(uploadId);
  }

  /** The message is no longer in the outbox: sent, or discarded and back in the composer. */
  detach(attachments: readonly OutgoingAttachment[], { isSent }: { isSent: boolean }): void {
    for (const { uploadId } of attachments) {
      if (uploadId === null) continue;
      if (isSent) this.loaded.get()?.forget(uploadId);
      else this.loaded.get()?.setSent(uploadId, false);
    }
  }

  async close(options: { forget: boolean }): Promise<void> {
    this.#isClosed = true;
    this.#loadedPictures?.clear();
    // Uploads of earlier pages are deleted with everything else, also if they were not loaded.
    const files = options.forget ? await this.files().catch(() => null) : this.loaded.get();
    await files?.close(options);
  }

  /** All pictures may look different now. */
  #setSafeMode(mode: SafeMode): void {
    this.loaded.get()?.knownSafeMode.set(mode);
    if (mode !== this.#safeMode) this.#loadedPictures?.allChanged();
    this.#safeMode = mode;
  }

  #changed(file: StoredFile): void {
    this.loaded.get()?.setFile(file);
    this.#loadedPictures?.changed(file.fileId);
  }

  #pendingKey(userId: string): string {
    return `greenroom.uploads ${this.host.rest.api} ${userId}`;
  }
}

function toAttachment({ uploadId, fileId, name, size, type, width, height, alt }: Upload): OutgoingAttachment {
  return { uploadId, fileId, name, size, type, width, height, alt };
}
