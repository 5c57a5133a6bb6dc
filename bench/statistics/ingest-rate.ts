import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { ingest } from '../../src/statistics/ingest/ingest.ts';
import { openOurs } from './ours.ts';

const batches = 40;
const linesPerBatch = 20_000;

/** NDJSON text to durable slots, two batches under way as the command does it: events per second. */
export async function ingestRate(file: string): Promise<{ events: number; perSecond: number }> {
  const { statistics, close } = await openOurs('sqlite:', file);
  const random = seededRandom(3);
  const now = Date.now();
  const texts = Array.from({ length: batches }, (_, batch) =>
    Array.from({ length: linesPerBatch }, (_, line) =>
      JSON.stringify({
        ...{ id: `e${batch}-${line}`, kind: 'keyword', entity: Math.floor(random() * 5000), user: 3 },
        split: random() < 0.5 ? 'context' : 'fulltext',
        at: new Date(now - Math.floor(random() * 3_600_000)).toISOString(),
        ...{ clicks: 1, cost: Math.floor(random() * 1000) },
      }),
    ).join('\n'),
  );
  const send = (text: string, index: number) =>
    ingest(statistics, {
      ...{ owner: 'bench', token: String(index), level: 'event', mayWrite: () => true },
      content: { text, format: 'ndjson' },
    });
  await send(texts[0] ?? '', -1);
  const began = performance.now();
  for (let at = 0; at < texts.length; at += 2)
    await Promise.all(texts.slice(at, at + 2).map((text, index) => send(text, at + index)));
  const events = batches * linesPerBatch;
  const perSecond = events / ((performance.now() - began) / 1000);
  await close();
  return { events, perSecond };
}
