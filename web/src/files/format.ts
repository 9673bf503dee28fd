// Sizes, durations and kinds of files, for people.
import type { IconName } from "../app/ui/icons";
import type { Attachment } from "../client";
import { locale } from "../strings";

const NO_BREAK_SPACE = "\u00a0";
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** 840 byte, 12 kB, 3.4 MB, 1 GB */
export function fileSize(bytes: number): string {
  const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** at;
  const text = new Intl.NumberFormat(locale(), {
    style: "unit",
    unit: UNITS[at] ?? "byte",
    unitDisplay: at === 0 ? "long" : "short",
    maximumFractionDigits: at > 1 && value < 100 ? 1 : 0,
  }).format(value);
  return text.replaceAll(" ", NO_BREAK_SPACE);
}

/** 0:07, 3:05, 1:02:30 */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const end = `${hours > 0 ? two(minutes) : minutes}:${two(seconds % 60)}`;
  return hours > 0 ? `${hours}:${end}` : end;
}

export function percent(part: number, whole: number): string {
  const value = whole === 0 ? 0 : Math.min(1, part / whole);
  return new Intl.NumberFormat(locale(), { style: "percent" }).format(Math.floor(value * 100) / 100);
}

/** The name's ending in capitals, for the icon of a file: PDF, ZIP. */
export function ending(name: string): string {
  const found = /\.([A-Za-z0-9]{1,5})$/.exec(name)?.[1] ?? "";
  return found.toUpperCase();
}

export type Look = "picture" | "video" | "sound" | "pdf" | "other";

/** How a file that was not checked yet probably looks. The server decides. */
export function lookOf(type: string): Look {
  if (/^image\/(?!svg)/.test(type)) return "picture";
  if (type.startsWith("video/")) return "video";
  if (type.startsWith("audio/")) return "sound";
  return type === "application/pdf" ? "pdf" : "other";
}

export function isVisual(look: Look): boolean {
  return look === "picture" || look === "video";
}

/** A message shows it as a tile, and the gallery shows it. */
export function hasTile({ media, thumbhash }: Attachment): boolean {
  return isVisual(media) && thumbhash !== "";
}

export const ICONS: Readonly<Record<Look, IconName>> = {
  picture: "picture",
  video: "video",
  sound: "mic",
  pdf: "file",
  other: "file",
};
