import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childProcesses, isRunning } from '../../engine/testing/child-processes.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { type RunningServer, runServer } from '../../server/testing/running-server.ts';
import { documentQueries } from '../database/database.ts';
import { createTextIndex } from './text-index.ts';

/** Forty pages of one word, as long as pages may be. */
async function addPages({ engine }: RunningServer, owner: string): Promise<void> {
  const queries = documentQueries(engine);
  const index = createTextIndex(engine.database.withTables());
  const document = `of-${owner}`;
  await queries
    .insertInto('transcription_document')
    .values({
      id: document,
      owner,
      subject: `user:${owner}`,
      name: 'a',
      state: 'done',
      priority: 0,
      again: 0,
      pipeline: 'p',
      language: 'ces',
      formatsJson: '["txt"]',
      textLayer: null,
      webhook: null,
      resumed: 0,
      createdAt: 0,
      submittedAt: 0,
      endedAt: 0,
      nameKey: 'a',
      pageCount: 40,
      withoutText: 0,
      meanConfidence: -1,
    })
    .execute();
  for (let number = 0; number < 40; number++) {
    const id = `${document}-${number}`;
    await queries
      .insertInto('transcription_page')
      .values({
        id,
        document,
        source: 's',
        position: number,
        name: 'a',
        part: null,
        state: 'done',
        hash: 'h',
        size: 1,
        textHash: null,
        textSize: 0,
        error: null,
        log: '',
        request: null,
        generation: 1,
        reuseKey: null,
        createdAt: 0,
        endedAt: 0,
      })
      .execute();
    await index.put(queries, { page: id, document, owner, text: 'a '.repeat(50_000) });
  }
}

/** Ten different terms that are all found at every word. */
const expensive = [
  'a',
  'a*',
  ...Array.from({ length: 8 }, (_, index) => `"${Array.from({ length: index + 2 }, () => 'a').join(' ')}"`),
].join(' ');
const reading = () => childProcesses().filter(isRunning).length;

test('an expensive search delays nobody, is bounded, and ends with its caller', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const bert = await server.signUp('bert', 'user');
  await addPages(server, 'anna');

  const repeated = await server.call('search.text', { words: 'a '.repeat(50), limit: 40 }, anna);
  assert.deepEqual([repeated.status, repeated.body.hits.length], [200, 40]);
  assert.deepEqual(
    [repeated.body.hits[0].snippet.slice(0, 5), repeated.body.hits[0].marks.length],
    ['a a a', 15],
  );
  const words = Array.from({ length: 17 }, (_, index) => `w${index}`).join(' ');
  const refused = await server.call('search.text', { words }, anna);
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /at most 16 different words or phrases/);

  const caller = new AbortController();
  const path = `/api/v1/search/text?${new URLSearchParams({ words: expensive, limit: '1' })}`;
  let searching = true;
  const search = fetch(`${server.localUrl}${path}`, {
    headers: { authorization: `Bearer ${anna.key}` },
    signal: caller.signal,
  }).finally(() => {
    searching = false;
  });
  const left = assert.rejects(search, { name: 'AbortError' });
  await eventually('the search runs', () => reading() === 1);
  assert.equal((await server.call('upload.create', {}, bert)).status, 200);
  assert.equal((await server.call('search.text', { words: 'a' }, bert)).status, 200);
  assert.equal(searching, true, 'bert had to wait for anna’s search');
  caller.abort();
  await left;
  await eventually('the search has ended', () => reading() === 0);
});
