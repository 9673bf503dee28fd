// The folders of the inbox and their URLs. The folder is a query parameter, which stays while threads are
// opened and closed.
import type { Folder } from "../client";
import type { Route } from "../app/pages";

export const FOLDERS = [
  "all",
  "action",
  "bookings",
  "offers",
  "requests",
  "other",
  "archived",
  "hidden",
  "spam",
] as const satisfies readonly Folder[];

export function folderOf(route: Route): Folder {
  const wanted = route.query.get("folder");
  return FOLDERS.find((name) => name === wanted) ?? "all";
}

export function inboxAddress(folder: Folder, thread: string | null): string {
  const path = thread === null ? "/inbox" : `/inbox/${encodeURIComponent(thread)}`;
  return folder === "all" ? path : `${path}?folder=${folder}`;
}
