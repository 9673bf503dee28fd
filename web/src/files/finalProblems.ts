// Problems of a file that another upload of the same bytes, with the same options, would have again. Pure.
import type { ProblemDocument } from "../client";

const FINAL = new Set([
  "virus-found", "not-scannable", "too-many-pixels", "picture-too-complex", "file-too-large", "location-not-removable",
  "metadata-not-removable",
]); // prettier-ignore

export function isFinal(problem: ProblemDocument | null): boolean {
  return FINAL.has(codeOf(problem));
}

/** The same bytes are accepted as the original only. */
export function needsOriginal(problem: ProblemDocument | null): boolean {
  return codeOf(problem) === "metadata-not-removable";
}

function codeOf(problem: ProblemDocument | null): string {
  return problem?.type.slice(problem.type.lastIndexOf("/") + 1) ?? "";
}
