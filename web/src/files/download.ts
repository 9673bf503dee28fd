// Downloads a file: asks for its URL and lets the browser save it.
import type { Client } from "../client";

/** The whole file, or the best version of it that the user may have. Rejects if there is none. */
export async function download(client: Client, fileId: string, name: string): Promise<void> {
  const access = await (await client.pictures()).access(fileId, { isRevealed: true, isDownload: true });
  const { original, stripped, large, medium, clip } = access?.urls ?? {};
  const url = original ?? stripped ?? large ?? medium ?? clip;
  if (url === undefined) throw new Error("there is nothing to download");
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
