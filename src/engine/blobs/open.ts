import { PismakError } from '../errors.ts';
import type { Blobs } from './blobs.ts';

/** Schemes of URLs that choose an adapter. */
export const blobsSchemes = ['directory', 'postgres'] as const;

/** Opens the adapter that the URL asks for: `directory:/path`, or a server. */
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
    `no blobs for ${scheme}:; there are ${blobsSchemes.join(', ')}`,
  );
}
