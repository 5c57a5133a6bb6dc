import type { Chosen } from './sort-out.ts';

/** More than a person means to drop, and less than what stops a browser. */
export const mostFiles = 20_000;

/** The files of a drop, those in its folders too. Browsers forget the drop after the event, so all entries are asked for at once. */
export async function readDrop(transfer: DataTransfer): Promise<Chosen[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...transfer.files].map((file) => ({ file, path: file.name }));
  const found: Chosen[] = [];
  for (const entry of entries) await readEntry(entry, found);
  return found;
}

/** The files of an `<input type="file">`; with `webkitdirectory` they know their folder. */
export function readInput(input: HTMLInputElement): Chosen[] {
  return [...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

async function readEntry(entry: FileSystemEntry, found: Chosen[]): Promise<void> {
  if (found.length >= mostFiles) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    found.push({ file, path: entry.fullPath.replace(/^\//, '') });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // It gives a hundred at a time.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const one of some) await readEntry(one, found);
  }
}
