// Downloads a file: asks for its URL and lets the browser save it.
import type { Client } from "../client";
import { t } from "../strings";
import "../strings/en.files";
import { UserError } from "../app/toasts.svelte";

/** The whole file, or the best version of it that the user may have. Rejects with the reason if there is none.
 * `isRevealed`: the user has asked to see a blurred file. */
export async function download(
  client: Client,
  fileId: string,
  name: string,
  { isRevealed = true } = {},
): Promise<void> {
  const access = await (await client.pictures()).access(fileId, { isRevealed, isDownload: true });
  if (access?.shown === "hidden") throw new UserError(t("file.notSavedHidden"));
  if (access?.shown === "blurred") throw new UserError(t("file.notSavedBlurred"));
  const { original, stripped, large, medium, clip } = access?.urls ?? {};
  const url = original ?? stripped ?? large ?? medium ?? clip;
  if (url === undefined) throw new UserError(t("file.gone"));
  save(url, name);
}

/** Lets the browser save what a signed URL gives. */
export function save(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.rel = "noopener";
  link.click();
}
