import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { type CarriedError, startThread } from './thread-link.ts';

/** A thread that runs `onMessage` for every message. */
const owner = (onMessage: string) =>
  startThread<string, string>(
    new URL(
      `data:text/javascript,import { parentPort as port } from 'node:worker_threads';` +
        `port.on('message', ({ id, question }) => { ${onMessage} });`,
    ),
    { what: 'The test', revive: ({ message, errcode }: CarriedError) => new Error(`${errcode}: ${message}`) },
  );

const unavailable = (error: unknown) => hasCode(error, 'unavailable');

test('each question gets its own answer, and errors keep their message and code', async () => {
  const link = owner(`port.postMessage(question === 'bad'
    ? { id, error: { message: 'no', errcode: 7 } } : { id, answer: question.toUpperCase() })`);
  const answers = await Promise.allSettled([link.ask('a'), link.ask('bad'), link.ask('b')]);
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.message)),
    ['A', '7: no', 'B'],
  );
  await link.close('farewell');
});

test('when the thread crashes, waiting and later questions fail', async () => {
  const link = owner(`if (question === 'crash') throw new Error('out of luck')`);
  const answers = await Promise.allSettled([link.ask('waiting'), link.ask('crash'), link.ask('behind it')]);
  for (const answer of answers) assert.ok(answer.status === 'rejected' && unavailable(answer.reason));
  await assert.rejects(link.ask('later'), /out of luck/);
  await link.close('farewell');
});

test('when the thread just ends, waiting questions fail too', async () => {
  const link = owner('process.exit(0)');
  await assert.rejects(link.ask('anything'), unavailable);
});

test('closing answers earlier questions and refuses later ones', async () => {
  const link = owner('port.postMessage({ id, answer: question })');
  const early = link.ask('early');
  const closing = link.close('farewell');
  await assert.rejects(link.ask('late'), unavailable);
  assert.equal(await early, 'early');
  await Promise.all([closing, link.close('farewell')]);
});

test('a question that cannot be cloned fails alone', async () => {
  const link = owner('port.postMessage({ id, answer: question })');
  const unclonable = (() => {}) as unknown as string;
  await assert.rejects(link.ask(unclonable), /could not be cloned/);
  assert.equal(await link.ask('fine'), 'fine');
  await link.close('farewell');
});
