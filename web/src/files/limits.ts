// Which of the chosen files can be sent: said before anything is uploaded. Pure; the server decides.
import type { Storage } from "../client";
import { t } from "../strings";
import "../strings/en.files";
import { fileSize } from "./format";

export interface Choice {
  accepted: File[];
  /** Why others are not accepted, for people. */
  refusals: string[];
  /** Some need more room than is left. */
  isFull: boolean;
}

export function choose(given: readonly File[], attached: number, limits: Storage | null): Choice {
  const accepted: File[] = [];
  const refusals: string[] = [];
  const unroomed: string[] = [];
  const most = limits?.filesPerMessage ?? 10;
  let room = limits === null ? Infinity : limits.quotaBytes - limits.bytes;
  for (const file of given) {
    const { name, size } = file;
    if (size === 0) refusals.push(t("attach.empty", { name }));
    else if (limits !== null && size > limits.maxFileBytes)
      refusals.push(t("attach.tooLarge", { name, size: fileSize(size), most: fileSize(limits.maxFileBytes) }));
    else if (attached + accepted.length >= most) {
      refusals.push(t("attach.tooMany", { most }));
      break;
    } else if (size > room) unroomed.push(name);
    else {
      room -= size;
      accepted.push(file);
    }
  }
  const left = fileSize(Math.max(0, room));
  const [first] = unroomed;
  if (first !== undefined)
    refusals.push(t("attach.noRoom", { count: unroomed.length, name: first, left }));
  return { accepted, refusals, isFull: first !== undefined };
}
