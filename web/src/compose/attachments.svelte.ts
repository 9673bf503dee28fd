// The files of the composer: attaches what is picked, pasted or dropped, and sends voice notes.
import type { AppContext } from "../app/appContext.svelte";
import type { SendOptions, Upload } from "../client";
import type { Dropped } from "../files/dropped";
import type RecorderComponent from "../files/Recorder.svelte";
import type Tray from "../files/Tray.svelte";
import { t } from "../strings";

export class Attachments {
  /** Of the message that is being written. */
  uploads = $state.raw<readonly Upload[]>([]);
  readonly hasFailed = $derived(this.uploads.some((one) => one.state === "failed"));
  /** In place of the field, while a voice note is recorded. */
  recorder = $state.raw<typeof RecorderComponent | null>(null);
  dialog = $state<"camera" | "delivery" | null>(null);
  /** Files that were just picked: the first ones load the code for files, which may take a while. */
  adding: Promise<unknown> = Promise.resolve();
  readonly #app: AppContext;
  readonly #threadId: string;
  #tray: Tray | undefined;
  #mounted: () => void = () => undefined;
  readonly #trayReady = new Promise<void>((done) => (this.#mounted = done));

  constructor(app: AppContext, threadId: string) {
    this.#app = app;
    this.#threadId = threadId;
  }

  get tray(): Tray | undefined {
    return this.#tray;
  }

  set tray(tray: Tray | undefined) {
    this.#tray = tray;
    if (tray) this.#mounted();
  }

  /** Files that were picked, pasted or dropped. */
  add({ files, hasFolders }: Dropped): Promise<boolean> {
    const added = this.#app.toasts.attempt(async () => {
      await this.#app.client.files(); // mounts the tray
      await this.#trayReady;
      await this.#tray?.add(files, hasFolders ? [t("files.folders")] : []);
    });
    this.adding = added;
    return added;
  }

  /** Also loads what sends the recording: afterwards it would be lost if that failed. */
  async record(): Promise<void> {
    await this.#app.toasts.attempt(async () => {
      const [loaded] = await Promise.all([import("../files/Recorder.svelte"), this.#app.client.files()]);
      this.recorder = loaded.default;
    });
  }

  /** A voice note is sent at once, as a message of its own. */
  sendVoice(file: File, options: SendOptions): Promise<boolean> {
    return this.#app.toasts.attempt(async () => {
      const { uploadId } = (await this.#app.client.files()).upload(file, { threadId: this.#threadId });
      this.#app.client.send(this.#threadId, "", { ...options, attachments: [uploadId] });
    });
  }
}
