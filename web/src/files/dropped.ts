// The files of a drop or a paste. Folders cannot be sent and are left out.

export interface Dropped {
  files: File[];
  hasFolders: boolean;
}

/** Careful: call it within the event, before anything is awaited. */
export function filesOf(transfer: DataTransfer | null): Dropped {
  const files: File[] = [];
  let hasFolders = false;
  for (const item of transfer?.items ?? []) {
    if (item.kind !== "file") continue;
    if (item.webkitGetAsEntry()?.isDirectory === true) hasFolders = true;
    else {
      const file = item.getAsFile();
      if (file !== null) files.push(file);
    }
  }
  return { files, hasFolders };
}

export function hasFiles(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes("Files") ?? false;
}
