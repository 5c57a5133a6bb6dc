import { PismakError } from '../errors.ts';
import type { Blobs } from './blobs.ts';
import { openDirectoryBlobs } from './directory.ts';

/** Opens the adapter that the URL asks for: `directory:/path`. */
export async function openBlobs(url: string): Promise<Blobs> {
  const [scheme] = url.split(':', 1);
  if (scheme === 'directory') return openDirectoryBlobs(url.slice('directory:'.length));
  throw new PismakError('configuration-invalid', `no adapter for blobs at ${scheme}:; there is directory:`);
}
