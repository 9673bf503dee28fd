// The state of one or more uploads as one line of text. Pure.
import type { Upload } from "../client";
import { problemMessage } from "../app/toasts.svelte";
import { t } from "../strings";
import "../strings/en.files";
import { percent } from "./format";

/** What needs attention first comes first. */
const ORDER: readonly Upload["state"][] = [
  "failed", "missing", "paused", "waiting", "uploading", "preparing", "checking", "ready",
]; // prettier-ignore

export interface Progress {
  state: Upload["state"];
  done: number;
  total: number;
  text: string;
}

export function progressOf(uploads: readonly Upload[]): Progress {
  const state = ORDER.find((one) => uploads.some((upload) => upload.state === one)) ?? "ready";
  const total = uploads.reduce((sum, one) => sum + one.size, 0);
  // A file that is still being read has sent nothing.
  const read = state === "preparing" && uploads.every((one) => one.state === "preparing");
  const sent = uploads.filter((one) => read || one.state !== "preparing");
  const done = Math.min(total, sent.reduce((sum, one) => sum + one.done, 0));
  const problem = uploads.find((one) => one.state === "failed")?.problem ?? null;
  return { state, done, total, text: textOf(state, percent(done, total), problem) };
}

function textOf(state: Upload["state"], share: string, problem: Upload["problem"]): string {
  switch (state) {
    case "preparing":
      return t("upload.preparing", { share });
    case "uploading":
      return t("upload.uploading", { share });
    case "paused":
      return t("upload.paused", { share });
    case "waiting":
      return t("upload.waiting", { share });
    case "missing":
      return t("upload.missing");
    case "checking":
      return t("upload.checking");
    case "failed":
      return problemMessage(problem);
    case "ready":
      return t("upload.ready");
  }
}
