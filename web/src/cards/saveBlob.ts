// Lets the browser save a file that was downloaded with the user's token.
import { save } from "../files/download";

const KEPT_MS = 60_000;

export async function saveBlob(loading: Promise<Blob>, name: string): Promise<void> {
  const url = URL.createObjectURL(await loading);
  save(url, name);
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
