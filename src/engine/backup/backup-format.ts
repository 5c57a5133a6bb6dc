import { createHash } from 'node:crypto';
import { z } from 'zod';

/**
 * A backup is a plain tar file: the files of the stores, all blobs under their hashes, and finally the manifest, so that a
 * truncated archive has no manifest.
 */
export const manifestName = 'manifest.json';
export const backupFormat = 2;

export const backupManifest = z.object({
  format: z.int(),
  /** Version of Pismak that wrote it. */
  version: z.string(),
  createdAt: z.number(),
  parts: z.array(z.object({ name: z.string(), size: z.int(), sha256: z.string() })),
  /** Each blob is verified by its name, which is its hash. */
  blobs: z.object({ count: z.int(), bytes: z.int() }),
  /** The users who can sign in after a restore. */
  accounts: z.object({
    users: z.array(z.object({ name: z.string(), role: z.string() })),
    keys: z.array(z.object({ id: z.string(), owner: z.string(), role: z.string() })),
  }),
});
export type BackupManifest = z.infer<typeof backupManifest>;

/** The parts besides blobs, and the name of each in a data directory. */
export const partNames: Readonly<Record<string, string>> = {
  'queues.db': 'queues.db',
  'pismak.db': 'pismak.db',
  // Under another name, so that it is not read: the operator decides whether the old settings still apply.
  'pismak.toml': 'pismak.toml.restored',
};

export function blobEntry(hash: string): string {
  return `blobs/${hash.slice(0, 2)}/${hash}`;
}

/** The hash in an entry's name; undefined if it is not exactly the name of a blob. */
export function hashOfEntry(name: string): string | undefined {
  const [, hash] = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name) ?? [];
  return hash !== undefined && blobEntry(hash) === name ? hash : undefined;
}

/** Passes bytes through and reports their SHA-256 at the end. */
export async function* hashing(
  content: AsyncIterable<Uint8Array>,
  done: (sha256: string) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
  done(hash.digest('hex'));
}
