// Sends the bytes of a file with progress: by XMLHttpRequest in a browser, because fetch has no progress of
// what it sends, and by fetch elsewhere.
//
// Careful: a connection can die without an error. A request without progress for 30 seconds is given up; by fetch, one
// that takes 30 seconds longer than a slow connection needs for its bytes.
import { clientProblem, ProblemError } from "../rest";

const STALLED_MS = 30_000;
const SLOW_BYTES_PER_MS = 64;

export interface BodyRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Blob;
}

export interface BodyAnswer {
  status: number;
  header(name: string): string | null;
  text: string;
}

/** Rejects with the problem "unreachable", or with the signal's reason. */
export type SendBody = (
  request: BodyRequest,
  onprogress: (bytes: number) => void,
  signal: AbortSignal,
) => Promise<BodyAnswer>;

export const sendBody: SendBody = (request, onprogress, signal) =>
  typeof XMLHttpRequest === "undefined"
    ? sendByFetch(request, onprogress, signal)
    : sendByXhr(request, onprogress, signal);

const sendByXhr: SendBody = ({ method, url, headers, body }, onprogress, signal) =>
  new Promise((done, failed) => {
    signal.throwIfAborted();
    const xhr = new XMLHttpRequest();
    let stalled: ReturnType<typeof setTimeout> | undefined;
    const watch = (): void => {
      clearTimeout(stalled);
      stalled = setTimeout(() => xhr.abort(), STALLED_MS);
    };
    const abort = (): void => xhr.abort();
    const end = (): void => {
      clearTimeout(stalled);
      signal.removeEventListener("abort", abort);
    };
    signal.addEventListener("abort", abort);
    xhr.upload.onprogress = ({ loaded }) => {
      watch();
      onprogress(loaded);
    };
    xhr.onload = () => {
      end();
      done({
        status: xhr.status,
        header: (name) => xhr.getResponseHeader(name),
        text: xhr.responseText,
      });
    };
    xhr.onerror = xhr.onabort = () => {
      end();
      failed(signal.aborted ? signal.reason : unreachable());
    };
    xhr.open(method, url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.send(body);
    watch();
  });

const sendByFetch: SendBody = async ({ method, url, headers, body }, onprogress, signal) => {
  const stalled = new AbortController();
  const giveUpAfter = (ms: number) => setTimeout(() => stalled.abort(), ms);
  let timer = giveUpAfter(STALLED_MS + body.size / SLOW_BYTES_PER_MS);
  try {
    const either = AbortSignal.any([signal, stalled.signal]);
    const answer = await fetch(url, { method, headers, body, signal: either, credentials: "omit" });
    clearTimeout(timer);
    timer = giveUpAfter(STALLED_MS);
    onprogress(body.size);
    return {
      status: answer.status,
      header: (name) => answer.headers.get(name),
      text: await answer.text(),
    };
  } catch {
    signal.throwIfAborted();
    throw unreachable();
  } finally {
    clearTimeout(timer);
  }
};

function unreachable(): ProblemError {
  return new ProblemError(clientProblem("unreachable", 0));
}
