// Which of the chosen files can be sent: known before anything is uploaded. Pure; the server decides.
import type { Storage } from "../types";

export interface Choice {
  readonly accepted: readonly File[];
  readonly refused: readonly Refused[];
  /** Bytes that are left in the quota. Infinity where the limits are not known. */
  readonly room: number;
}

export interface Refused {
  readonly file: File;
  readonly reason: "empty" | "too-large" | "too-many" | "no-room";
}

/** `attached`: how many the message has already. After one too many, the others are not looked at. */
export function chooseFiles(given: readonly File[], attached: number, limits: Storage | null): Choice {
  const accepted: File[] = [];
  const refused: Refused[] = [];
  const most = limits?.filesPerMessage ?? 10;
  let room = limits === null ? Infinity : limits.quotaBytes - limits.bytes;
  for (const file of given) {
    if (file.size === 0) refused.push({ file, reason: "empty" });
    else if (limits !== null && file.size > limits.maxFileBytes) refused.push({ file, reason: "too-large" });
    else if (attached + accepted.length >= most) {
      refused.push({ file, reason: "too-many" });
      break;
    } else if (file.size > room) refused.push({ file, reason: "no-room" });
    else {
      room -= file.size;
      accepted.push(file);
    }
  }
  return { accepted, refused, room: Math.max(0, room) };
}
