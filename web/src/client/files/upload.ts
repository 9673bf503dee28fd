// One upload: reads the checksum, announces the file, sends its bytes, and goes on where it stopped. What has
// arrived is asked of the server whenever something went wrong.
//
// Careful: a request that failed may have arrived. So nothing is counted as sent before the server says so.
import { clientProblem, ProblemError } from "../rest";
import type { FileUpload, ProblemDocument, StoredFile, Upload } from "../types";
import { hashFile } from "./hash";
import type { UploadRecord } from "./records";
import { sendContent, type SendRequests } from "./sendContent";
import { problemOf, remedyFor, retryAfterMs } from "./uploadErrors";

/** Without a byte more that has arrived. */
const MAX_FAILURES = 5;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 30_000;
const NOTIFY_MS = 100;
const EXPIRED = { type: "/problems/file-expired", detail: "" };

/** The requests of an upload. They reject with a Problem. */
export interface UploadRequests extends SendRequests {
  /** Repeated with the same key it announces once. */
  announce(
    file: {
      name: string;
      size: number;
      sha256: string;
      type: string;
      threadId: string | null;
      keepOriginal: boolean;
    },
    key: string,
  ): Promise<FileUpload>;
  state(fileId: string): Promise<FileUpload>;
  complete(fileId: string): Promise<StoredFile>;
  remove(fileId: string): Promise<void>;
}

export interface UploadListener {
  /** The state has changed. */
  changed(task: UploadTask): void;
  /** What is saved has changed. */
  save(task: UploadTask): void;
  /** All bytes have arrived: nothing needs to be saved any more. */
  uploaded(task: UploadTask, file: StoredFile): void;
  /** Resolves when it may use the network; returns the function that lets the next one. */
  slot(signal: AbortSignal): Promise<() => void>;
}

export class UploadTask {
  record: UploadRecord;
  #state: Upload["state"] = "preparing";
  #done = 0;
  #problem: ProblemDocument | null = null;
  #retryAt: number | null = null;
  #file: StoredFile | null = null;
  #running: AbortController | null = null;
  #isCanceled = false;
  /** The most that the server ever had of it. */
  #arrived = 0;
  /** Since more has arrived. */
  #failures = 0;
  /** With those where the connection or the server was down, which do not count as failures. */
  #retries = 0;
  /** Of the file before this one: until then both take room in the user's quota. */
  #removal: Promise<void> = Promise.resolve();
  #wake: (() => void) | null = null;
  #notifying: ReturnType<typeof setTimeout> | null = null;
  #shown: Upload | null = null;

  constructor(
    record: UploadRecord,
    private readonly requests: UploadRequests,
    private readonly listener: UploadListener,
  ) {
    this.record = record;
  }

  get upload(): Upload {
    const { uploadId, threadId, purpose, fileId, name, size, type, alt, width, height, isSent, keepOriginal } =
      this.record;
    this.#shown ??= {
      uploadId, threadId, purpose, fileId, name, size, type, alt, width, height, isSent, keepOriginal,
      state: this.#state,
      done: this.#done,
      problem: this.#problem,
      retryAt: this.#retryAt,
      file: this.#file,
    };
    return this.#shown;
  }

  // Actions of the user.

  start(): void {
    if (this.#running !== null || this.#isOver) return;
    if (this.record.isPaused) return this.#set("paused");
    const running = new AbortController();
    this.#running = running;
    void this.#run(running.signal).finally(() => {
      if (this.#running === running) this.#running = null;
    });
  }

  pause(): void {
    if (this.#isOver || this.#state === "checking") return;
    this.#stop();
    this.change({ isPaused: true });
    this.#set("paused");
  }

  resume(): void {
    this.change({ isPaused: false });
    this.start();
  }

  /** After a failure. It begins anew if the server has given up on the file. */
  retry(): void {
    if (this.#state !== "failed") return;
    const isGivenUp = this.#file !== null && this.#file.state !== "uploading";
    this.#begin(isGivenUp ? this.#withoutFile() : {});
  }

  /** Announces the file again: the server takes this only with the announcement. A file that was refused may have
   *  to be chosen again. */
  setOriginal(keepOriginal: boolean): void {
    if (this.record.keepOriginal === keepOriginal) return;
    if (this.record.content === null && this.#state !== "failed") return;
    this.#stop();
    this.#begin({ ...this.#withoutFile(), keepOriginal });
  }

  /** Tries again now, because the network is back. */
  wake(): void {
    this.#wake?.();
  }

  stop(): void {
    this.#stop();
    if (this.#notifying !== null) clearTimeout(this.#notifying);
  }

  /** Also removes the file from the server, unless a message uses it. */
  cancel(): void {
    this.stop();
    this.#isCanceled = true;
    this.#removeFile(this.record.fileId);
  }

  change(change: Partial<UploadRecord>): void {
    this.record = { ...this.record, ...change };
    this.listener.save(this);
    this.#notify(true);
  }

  /** What the server says of the file: by an event, sync or a response. */
  setFile(file: StoredFile): void {
    if (this.#file !== null && this.#file.version > file.version) return;
    this.#file = file;
    if (file.state === "uploading") return;
    this.#done = file.size;
    if (file.state === "ready") return this.#set("ready");
    if (file.state === "checking") return this.#set("checking");
    const { type, detail } = file.problem ?? EXPIRED;
    this.#fail({ type, title: detail, status: 422, detail });
  }

  /** Elsewhere, or because it has expired. One that is still uploaded is announced again. */
  setDeleted(): void {
    if (this.#state !== "checking" && this.#state !== "ready") return;
    this.#fail({ ...EXPIRED, title: "", status: 422 });
  }

  get #isOver(): boolean {
    return this.#state === "ready" || this.#state === "failed";
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = null;
  }

  // The run.

  #begin(change: Partial<UploadRecord>): void {
    this.#problem = this.#retryAt = null;
    this.#done = this.#arrived = 0;
    this.#state = "preparing";
    this.change(change);
    this.start();
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#failures = this.#retries = 0;
    for (;;) {
      try {
        return await this.#upload(signal);
      } catch (error) {
        if (signal.aborted) return;
        const remedy = remedyFor(error, this.#state === "uploading");
        if (remedy !== "wait") this.#failures += 1;
        if (remedy === "fail" || this.#failures === MAX_FAILURES) return this.#fail(problemOf(error));
        if (remedy === "announce") this.change(this.#withoutFile());
        await this.#pauseBeforeRetry(error, signal);
        if (signal.aborted) return;
      }
    }
  }

  async #upload(signal: AbortSignal): Promise<void> {
    const { content } = this.record;
    if (content === null && this.record.fileId === null) return this.#set("missing");
    const freeSlot = await this.listener.slot(signal);
    try {
      if (this.record.sha256 === null && content !== null) await this.#hash(content, signal);
      const { file, upload } = await this.#announce(signal);
      if (upload === null) return this.#uploaded(file);
      if (content === null) return this.#set("missing");
      this.#noteArrived(upload.offset);
      this.#set("uploading");
      await sendContent(upload, {
        requests: this.requests,
        content,
        missing: async () => (await this.requests.state(file.fileId)).upload,
        onprogress: (bytes) => {
          if (!signal.aborted) this.#progress(bytes);
        },
        onarrived: (bytes) => {
          if (!signal.aborted) this.#noteArrived(bytes);
        },
        signal,
      });
      const completed = await this.requests.complete(file.fileId);
      signal.throwIfAborted();
      this.#uploaded(completed);
    } finally {
      freeSlot();
    }
  }

  async #hash(content: Blob, signal: AbortSignal): Promise<void> {
    this.#set("preparing");
    const onprogress = (read: number): void => {
      this.#done = read;
      this.#notify();
    };
    let sha256: string;
    try {
      sha256 = await hashFile(content, { onprogress, signal });
    } catch (error) {
      signal.throwIfAborted();
      console.warn(error);
      throw new ProblemError(clientProblem("unreadable", 0));
    }
    this.#done = 0;
    this.change({ sha256 });
  }

  async #announce(signal: AbortSignal): Promise<FileUpload> {
    const { uploadId, attempt, fileId, name, size, sha256, type, threadId, keepOriginal } = this.record;
    signal.throwIfAborted();
    if (fileId !== null) return this.#ask(fileId, signal);
    this.#done = 0;
    await this.#removal;
    signal.throwIfAborted();
    const new_ = { name, size, sha256: sha256 ?? "", type, threadId, keepOriginal };
    const announced = await this.requests.announce(new_, `${uploadId}-${attempt}`);
    // A paused upload goes on with this file: the same key finds it again.
    if (this.#isCanceled || this.record.attempt !== attempt) this.#removeFile(announced.file.fileId);
    signal.throwIfAborted();
    this.change({ fileId: announced.file.fileId });
    return announced;
  }

  async #ask(fileId: string, signal: AbortSignal): Promise<FileUpload> {
    const found = await this.requests.state(fileId);
    signal.throwIfAborted();
    return found;
  }

  /** To announce another one: with a key of its own. */
  #withoutFile(): Partial<UploadRecord> {
    this.#removeFile(this.record.fileId);
    this.#file = null;
    return { fileId: null, attempt: this.record.attempt + 1 };
  }

  #removeFile(fileId: string | null): void {
    if (fileId !== null) this.#removal = this.requests.remove(fileId).catch(() => undefined);
  }

  #noteArrived(bytes: number): void {
    if (bytes <= this.#arrived) return;
    this.#arrived = bytes;
    this.#failures = this.#retries = 0;
  }

  #uploaded(file: StoredFile): void {
    this.setFile(file);
    this.listener.uploaded(this, file);
  }

  async #pauseBeforeRetry(error: unknown, signal: AbortSignal): Promise<void> {
    const backoff = Math.min(FIRST_RETRY_MS * 2 ** this.#retries++, MAX_RETRY_MS) * (0.5 + Math.random());
    const wait = retryAfterMs(error) || backoff;
    this.#retryAt = Date.now() + wait;
    this.#set("waiting");
    await new Promise<void>((done) => {
      const timer = setTimeout(done, wait);
      this.#wake = () => {
        clearTimeout(timer);
        done();
      };
      signal.addEventListener("abort", this.#wake, { once: true });
    });
    this.#wake = this.#retryAt = null;
  }

  #fail(problem: ProblemDocument): void {
    this.#problem = problem;
    this.#set("failed");
  }

  #progress(done: number): void {
    this.#done = done;
    this.#notify();
  }

  #set(state: Upload["state"]): void {
    this.#state = state;
    if (state !== "failed") this.#problem = null;
    if (state !== "waiting") this.#retryAt = null;
    this.#notify(true);
  }

  /** Progress is shown ten times a second, everything else at once. */
  #notify(isUrgent = false): void {
    this.#shown = null;
    if (isUrgent) {
      if (this.#notifying !== null) clearTimeout(this.#notifying);
      this.#notifying = null;
      this.listener.changed(this);
    } else {
      this.#notifying ??= setTimeout(() => {
        this.#notifying = null;
        this.listener.changed(this);
      }, NOTIFY_MS);
    }
  }
}
