import { type Blobs, readBlob } from '../../engine/blobs/blobs.ts';
import type { ResultFile } from '../../engine/request/request.ts';
import { sizeOf } from '../../engine/results/job-files.ts';

export interface StoredFile {
  name: string;
  hash: string;
  size: number;
}

/** The file as a blob, whether it came inside the message or by reference. Its owner must be told within a minute. */
export async function storedFile(blobs: Blobs, file: ResultFile): Promise<StoredFile> {
  if (file.blob !== '') return { name: file.name, hash: file.blob, size: sizeOf(file) };
  return { name: file.name, ...(await blobs.put(file.content)) };
}

export async function contentOf(blobs: Blobs, file: ResultFile): Promise<Uint8Array> {
  return file.blob === '' ? file.content : readBlob(blobs, file.blob);
}
