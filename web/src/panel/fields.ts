// What the tabs hold: the fields of each kind of object, in the order in which they are shown.
import type { PanelObject, PanelTabName } from "../client";

export type Kind = PanelObject["kind"];
export type FieldName = "title" | "text" | "notes" | "caption" | "count";

export interface TextField {
  name: FieldName;
  most: number;
  /** Of a text with several lines; 0 for one line. */
  rows: number;
  isNumber?: boolean;
}

const TITLE: TextField = { name: "title", most: 120, rows: 0 };
const CAPTION: TextField = { name: "caption", most: 300, rows: 0 };

export const FIELDS: Readonly<Record<Kind, readonly TextField[]>> = {
  section: [TITLE, { name: "text", most: 2000, rows: 4 }],
  note: [{ name: "text", most: 2000, rows: 3 }, CAPTION],
  picture: [CAPTION],
  shot: [TITLE, { name: "notes", most: 2000, rows: 2 }, { name: "count", most: 9999, rows: 0, isNumber: true }],
};

export const KINDS: Readonly<Partial<Record<PanelTabName, readonly Kind[]>>> = {
  brief: ["section"],
  moodboard: ["picture", "note"],
  shotlist: ["shot"],
};

/** What an object is called in a sentence. */
export function nameOf(fields: Readonly<Record<string, { value: unknown } | undefined>>): string {
  const found = fields["title"] ?? fields["caption"] ?? fields["text"];
  return typeof found?.value === "string" ? found.value.slice(0, 60) : "";
}
