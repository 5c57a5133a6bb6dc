import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { HonestUser } from './honest-user.ts';
import { send, type Visitor } from './target.ts';

export interface OwnThings {
  /** Attackers know these, and may do nothing with them. */
  ids: string[];
  /** Attackers don't know these, and must never see them. */
  secrets: string[];
  unchanged(): Promise<boolean>;
}

/** Gives the honest user a transcribed document, an upload, a key and a name in every list; all with a secret in it. */
export async function ownThings(honest: HonestUser, url: string, visitor: Visitor): Promise<OwnThings> {
  const secret = `secret-${crypto.randomUUID()}`;
  const scan = join(import.meta.dirname, '..', '..', 'samples', 'scans', 'clean-1.png');
  const uploaded = await send(url, visitor, {
    method: 'POST',
    path: '/api/v1/blobs',
    headers: { 'content-type': 'image/png' },
    body: await readFile(scan),
  });
  const { hash } = JSON.parse(uploaded.text) as { hash: string };
  const { id: document } = await honest.call<{ id: string }>('document.create', { name: secret });
  await honest.call('document.add', { document, name: `${secret}.png`, hash });
  await honest.call('document.submit', { document });
  const { upload } = await honest.call<{ upload: string }>('upload.create', {});
  const { id: key } = await honest.call<{ id: string }>('key.create', { name: secret });
  const text = await textOf(honest, url, visitor, document);
  const { pages } = await honest.call<{ pages: { id: string }[] }>('document.pages', { document }, 'GET');
  return {
    ids: [
      document,
      hash,
      upload,
      key,
      'honest',
      'honest-results',
      `${document}/1`,
      ...pages.map(({ id }) => id),
    ],
    // A line of the page: nobody but its owner may find it.
    secrets: [secret, text.split('\n').find((line) => line.length > 30) ?? secret],
    async unchanged() {
      const [now, { keys }] = await Promise.all([
        textOf(honest, url, visitor, document),
        honest.call<{ keys: { id: string; revokedAt: number | null }[] }>('key.ls', {}, 'GET'),
      ]);
      return now === text && keys.some(({ id, revokedAt }) => id === key && revokedAt === null);
    },
  };
}

async function textOf(honest: HonestUser, url: string, visitor: Visitor, document: string): Promise<string> {
  for (;;) {
    const { state } = await honest.call<{ state: string }>('document.show', { document }, 'GET');
    if (state === 'done') break;
    if (state !== 'running' && state !== 'waiting')
      throw new Error(`the document of the honest user is ${state}`);
    await wait(200);
  }
  const path = `/api/v1/document/file?document=${document}&page=1&file=text.txt`;
  const reply = await send(url, visitor, { method: 'GET', path });
  if (reply.status !== 200) throw new Error(`its text cannot be read: ${reply.status} ${reply.text}`);
  return reply.text;
}
