// Records a voice note: microphone, loudness and time. Nothing leaves the browser before it is sent.
import { Value } from "../observable";
import type { Readable } from "../types";

const MAX_MS = 5 * 60_000;
const MIN_MS = 500;
const LEVELS = 32;
const LEVEL_MS = 80;
/** What the browser can record, the best first. Firefox and Chrome take the first, Safari the third. */
const TYPES = ["audio/webm;codecs=opus", "audio/ogg;codecs=opus", "audio/mp4"];
const ENDINGS: Readonly<Record<string, string>> = {
  "audio/webm": "webm",
  "audio/ogg": "ogg",
  "audio/mp4": "m4a",
};

export function canRecord(): boolean {
  return typeof MediaRecorder !== "undefined" && navigator.mediaDevices !== undefined;
}

export interface Recording {
  /** "ended": the microphone has ended by itself. "empty": it gave nothing. */
  readonly state: "asking" | "recording" | "ended" | "denied" | "missing" | "empty" | "over";
  readonly elapsedMs: number;
  /** The last loudness values, from 0 to 1. */
  readonly levels: readonly number[];
  /** Shorter ones are taken for a mistake. */
  readonly isLongEnough: boolean;
}

const BEGINNING: Recording = {
  state: "asking",
  elapsedMs: 0,
  levels: Array.from({ length: LEVELS }, () => 0),
  isLongEnough: false,
};

export class VoiceRecorder {
  readonly maxMs = MAX_MS;
  readonly #recording = new Value(BEGINNING);
  #recorder: MediaRecorder | null = null;
  /** After the last of the chunks. */
  #stopped: Promise<void> = Promise.resolve();
  #stream: MediaStream | null = null;
  #context: AudioContext | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #chunks: Blob[] = [];
  #isClosed = false;
  readonly #onfull: () => void;

  /** `onfull`: the longest duration is reached. */
  constructor(onfull: () => void) {
    this.#onfull = onfull;
  }

  get recording(): Readable<Recording> {
    return this.#recording;
  }

  async start(): Promise<void> {
    try {
      this.#stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (error) {
      const isDenied = error instanceof DOMException && error.name === "NotAllowedError";
      return this.#change({ state: isDenied ? "denied" : "missing" });
    }
    if (this.#isClosed) return this.#release();
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const recorder = (this.#recorder = new MediaRecorder(this.#stream, mimeType ? { mimeType } : {}));
    recorder.ondataavailable = ({ data }) => this.#chunks.push(data);
    this.#stopped = new Promise((done) => (recorder.onstop = () => done()));
    void this.#stopped.then(() => this.#endedByItself());
    recorder.start(1000);
    this.#change({ state: "recording" });
    this.#watch(this.#stream);
  }

  /** Ends the recording. Null if there is nothing. */
  async finish(name: string): Promise<File | null> {
    const recorder = this.#recorder;
    if (recorder === null) return null;
    this.close();
    await this.#stopped;
    const type = recorder.mimeType.split(";")[0] ?? "audio/webm";
    const content = new Blob(this.#chunks, { type });
    if (content.size > 0) return new File([content], `${name}.${ENDINGS[type] ?? "webm"}`, { type });
    this.#change({ state: "empty" });
    return null;
  }

  /** It was unplugged, or a call has taken it. What was recorded until then can be sent. */
  #endedByItself(): void {
    const { state, isLongEnough } = this.#recording.get();
    if (state !== "recording") return;
    this.#change({ state: isLongEnough ? "ended" : "empty" });
    clearInterval(this.#timer);
    this.#release();
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    if (this.#recorder !== null && this.#recorder.state !== "inactive") this.#recorder.stop();
    this.#release();
    const { state } = this.#recording.get();
    if (state === "recording" || state === "ended") this.#change({ state: "over" });
  }

  #change(changed: Partial<Recording>): void {
    this.#recording.set({ ...this.#recording.get(), ...changed });
  }

  /** The browser shows that the microphone is on until its tracks end. */
  #release(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    void this.#context?.close().catch(() => undefined);
    this.#stream = this.#context = null;
  }

  #watch(stream: MediaStream): void {
    this.#context = new AudioContext();
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = 512;
    this.#context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    const began = performance.now();
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const loudness = Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length);
      const levels = [...this.#recording.get().levels.slice(1), Math.min(1, loudness * 4)];
      const elapsedMs = performance.now() - began;
      this.#change({ levels, elapsedMs, isLongEnough: elapsedMs >= MIN_MS });
      if (elapsedMs >= MAX_MS) this.#onfull();
    }, LEVEL_MS);
  }
}
