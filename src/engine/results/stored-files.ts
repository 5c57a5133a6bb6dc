import { type Blobs, readBlob } from '../blobs/blobs.ts';
import type { ResultFile } from '../request/request.ts';
import { sizeOf } from '../request/result-files.ts';

export interface StoredFile {
  name: string;
  hash: string;
  size: number;
}

/** A file of a finished request as a blob, whether inline or by reference. Own it within a minute (`own`). */
export async function storedFile(blobs: Blobs, file: ResultFile): Promise<StoredFile> {
  if (file.blob !== '') return { name: file.name, hash: file.blob, size: sizeOf(file) };
  return { name: file.name, ...(await blobs.put(file.content)) };
}

/** Its content, wherever it is. */
export async function contentOf(blobs: Blobs, file: ResultFile): Promise<Uint8Array> {
  return file.blob === '' ? file.content : readBlob(blobs, file.blob);
}
