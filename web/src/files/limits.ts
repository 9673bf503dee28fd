// Says which of the chosen files cannot be sent, and why, before anything is uploaded.
import type { Storage } from "../client";
import { chooseFiles, type Refused } from "../client/files/chooseFiles";
import { t } from "../strings";
import "../strings/en.files";
import { fileSize } from "./format";

export interface Choice {
  accepted: readonly File[];
  /** Why others are not accepted, for people. */
  refusals: string[];
  /** Some need more room than is left. */
  isFull: boolean;
}

export function choose(given: readonly File[], attached: number, limits: Storage | null): Choice {
  const { accepted, refused, room } = chooseFiles(given, attached, limits);
  const unroomed = refused.filter(({ reason }) => reason === "no-room").map(({ file }) => file.name);
  const refusals = refused.filter(({ reason }) => reason !== "no-room").map((one) => said(one, limits));
  const [first] = unroomed;
  if (first !== undefined)
    refusals.push(t("attach.noRoom", { count: unroomed.length, name: first, left: fileSize(room) }));
  return { accepted, refusals, isFull: first !== undefined };
}

function said({ file, reason }: Refused, limits: Storage | null): string {
  const { name, size } = file;
  if (reason === "empty") return t("attach.empty", { name });
  if (reason === "too-many") return t("attach.tooMany", { most: limits?.filesPerMessage ?? 10 });
  return t("attach.tooLarge", { name, size: fileSize(size), most: fileSize(limits?.maxFileBytes ?? 0) });
}
