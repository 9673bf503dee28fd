// Problems of a file that another upload of the same bytes would have again. Pure.
import type { ProblemDocument } from "../client";

const FINAL = new Set([
  "virus-found", "not-scannable", "too-many-pixels", "picture-too-complex", "file-too-large", "location-not-removable",
]); // prettier-ignore

export function isFinal(problem: ProblemDocument | null): boolean {
  return FINAL.has(problem?.type.slice(problem.type.lastIndexOf("/") + 1) ?? "");
}
