import { PismakError } from '../ground/errors.ts';
import type { Blobs } from './blobs.ts';

/** The URL schemes that select an adapter. */
export const blobsSchemes = ['directory', 'postgres'] as const;

/** Opens the adapter that the URL selects: `directory:/path`, or a server. */
export async function openBlobs(url: string): Promise<Blobs> {
  const [scheme] = url.split(':', 1);
  switch (scheme) {
    case 'directory':
      return (await import('./directory.ts')).openDirectoryBlobs(url.slice('directory:'.length));
    case 'postgres':
      return (await import('./postgres.ts')).openPostgresBlobs({ url });
  }
  throw new PismakError(
    'configuration-invalid',
    `Unknown blobs scheme "${scheme}". Use one of ${blobsSchemes.join(', ')}.`,
  );
}
