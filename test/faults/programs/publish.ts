/**
 * Sends requests until told `enough` on its input: at a steady pace, to whichever `pismak up` answers, each again and again
 * until it is confirmed. What was confirmed stands in a journal; started anew, it goes on from there with the same uuids.
 * Told `arrived N`, it knows how many have come out, and holds back while too many have not.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { readHolder } from '../../../src/engine/data-directory/data-directory.ts';
import { contentOf, output, type Sent, stages, uuidOf } from '../work.ts';

const [journal = '', seed = '', everyMs = '', ...directories] = process.argv.slice(2);
const atOnce = 8;
const answerMs = 5_000;
/** So the time to recover is not that of a backlog. */
const mostUnderWay = 50;
let enough = false;
let number = 0;
let nextAt = 0;
let arrived = 0;

createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (line === 'enough') enough = true;
    else arrived = Number(line.replace('arrived ', ''));
  })
  // Whoever started us holds the other end: when he is gone without a word, so are we.
  .on('close', () => {
    if (!enough) process.exit(1);
  });
const text = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
// The last line may be cut off: it was not confirmed to anybody.
const done = new Set(text.split('\n').map((line) => /"uuid":"([^"]+)".*}$/.exec(line)?.[1]));
if (text !== '' && !text.endsWith('\n')) appendFileSync(journal, '\n');
await Promise.all(Array.from({ length: atOnce }, sendOneByOne));
process.exit();

async function sendOneByOne(): Promise<void> {
  while (!enough) {
    const mine = number++;
    const uuid = uuidOf(seed, mine);
    if (done.has(uuid)) continue;
    while (mine - arrived >= mostUnderWay && !enough) await wait(20);
    nextAt = Math.max(Date.now(), nextAt + Number(everyMs));
    await wait(Math.max(0, nextAt - Date.now()));
    const begunAt = Date.now();
    for (let turn = mine; !(await submit(uuid, mine, directories[turn % directories.length] ?? '')); turn++) {
      await wait(100);
    }
    const sent: Sent = { uuid, begunAt, confirmedAt: Date.now() };
    appendFileSync(journal, `${JSON.stringify(sent)}\n`);
  }
}

async function submit(uuid: string, mine: number, directory: string): Promise<boolean> {
  const holder = await readHolder(directory);
  if (!holder?.url || !holder.token) return false;
  const content = contentOf(mine).toString('base64');
  const body = { uuid, stages: [...stages, output], files: [{ name: 'page', content }] };
  try {
    const response = await fetch(`${holder.url}/api/v1/request/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${holder.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerMs),
    });
    await response.text();
    return response.ok;
  } catch {
    return false;
  }
}
