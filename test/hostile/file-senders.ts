import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../src/engine/ground/identity.ts';
import { type AttackFigures, fault, type Orders } from './attack-figures.ts';
import { goodFiles, type HostileFile, hostileFiles } from './hostile-files.ts';
import { NoReply, type Reply, send, type Visitor } from './target.ts';

const filesPerDocument = 10;
/** A document that is not finished by then never will be. */
const patienceMs = 20 * 60_000;

/** Users who send hostile files to be transcribed, a document after another. */
export async function sendFiles(orders: Orders, figures: AttackFigures, random: Random): Promise<void> {
  if (orders.files === 0) return;
  const files = hostileFiles(random, await goodFiles());
  let left = orders.files;
  await Promise.all(
    orders.senders.map(async (sender) => {
      while (left > 0) {
        const count = Math.min(filesPerDocument, left);
        left -= count;
        const some = Array.from({ length: count }, () => files.next().value as HostileFile);
        await sendDocument(orders.url, sender, some, figures);
      }
    }),
  );
}

async function sendDocument(
  url: string,
  sender: Visitor,
  files: readonly HostileFile[],
  figures: AttackFigures,
): Promise<void> {
  const post = (operation: string, input: object) => patiently(() => call(url, sender, operation, input));
  const created = await post('document/create', { name: 'a harmless document' });
  if (created.status !== 200)
    return void fault(figures, `document.create: ${created.status} ${created.text}`);
  const { id: document } = JSON.parse(created.text) as { id: string };
  let added = 0;
  for (const { name, content } of files) {
    figures.files.sent++;
    const upload = { method: 'POST', path: '/api/v1/blobs', body: content };
    const blob = await patiently(() =>
      send(url, sender, { ...upload, headers: { 'content-type': 'application/octet-stream' } }),
    );
    const reply =
      blob.status === 200
        ? await post('document/add', { document, name, hash: JSON.parse(blob.text).hash })
        : blob;
    if (reply.status === 200) added++;
    else {
      figures.files.refused++;
      if (reply.status >= 500 && reply.status !== 507)
        fault(figures, `${name}: ${reply.status} ${reply.text}`);
    }
  }
  if (added === 0) return;
  const submitted = await post('document/submit', { document });
  if (submitted.status !== 200) {
    figures.files.refused += added;
    if (submitted.status >= 500) fault(figures, `document.submit: ${submitted.status} ${submitted.text}`);
    return;
  }
  await follow(url, sender, document, added, figures);
}

interface Progress {
  state: string;
  sources: { total: number; failed: number };
}

async function follow(
  url: string,
  sender: Visitor,
  document: string,
  added: number,
  figures: AttackFigures,
): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    await wait(1000);
    const path = `/api/v1/document/show?document=${document}`;
    const reply = await patiently(() => send(url, sender, { method: 'GET', path }));
    if (reply.status !== 200) return void fault(figures, `document.show: ${reply.status} ${reply.text}`);
    const { state, sources } = JSON.parse(reply.text) as Progress;
    if (!['open', 'waiting', 'running'].includes(state)) {
      figures.files.failed += sources.failed;
      figures.files.done += added - sources.failed;
      await patiently(() => call(url, sender, 'document/delete', { document }));
      return;
    }
    if (performance.now() - startedAt < patienceMs) continue;
    figures.files.unfinished += added;
    return void fault(
      figures,
      `document ${document} is still ${state} after 20 minutes: ${reply.text.slice(0, 500)}`,
    );
  }
}

function call(url: string, visitor: Visitor, operation: string, input: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json' };
  return send(url, visitor, {
    method: 'POST',
    path: `/api/v1/${operation}`,
    headers,
    body: JSON.stringify(input),
  });
}

/** These users follow the rules of the API: whoever is told to wait, waits. */
async function patiently(work: () => Promise<Reply>): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    try {
      const reply = await work();
      if (attempt > 60 || (reply.status !== 429 && reply.status !== 503)) return reply;
      await wait(Math.min(10_000, 1000 * Number(reply.headers['retry-after'] ?? 1)));
    } catch (error) {
      if (!(error instanceof NoReply) || error.hung || attempt > 20) throw error;
      await wait(500);
    }
  }
}
