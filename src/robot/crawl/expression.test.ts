import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../engine/testing/eventually.ts';
import { robotDatabase } from '../database/tables.ts';
import { runTestRobot } from '../testing/crawl-web.ts';
import { changeState, createCrawl, deleteCrawl, findCrawl } from './crawls.ts';
import { stepsIn } from './expression.ts';
import { judgeUrls } from './judge-urls.ts';
import { crawlDefinition } from './options.ts';

/** Compiling it takes seconds. */
const hostile = '(.?){1000}'.repeat(300);

test('the steps of an expression are counted before it is compiled', () => {
  const expected: [string, number][] = [
    ['', 0],
    ['abc', 3],
    ['a{1000}', 1_000],
    ['a{2,30}b', 31],
    ['(ab){1000}{1000}', 5_000_000],
    [String.raw`\.cz$|\p{Lu}`, 6],
    ['[]{9}[:alpha:]]{3}', 3],
    ['{9}a{,5}', 5],
  ];
  for (const [expression, steps] of expected) assert.equal(stepsIn(expression), steps, expression);
  assert.ok(stepsIn(hostile) > 300_000);
  assert.ok(stepsIn('|x'.repeat(5_000)) <= 10_000);
});

test('an expression that is too large is refused before it is compiled', async () => {
  const before = process.cpuUsage();
  await assert.rejects(judgeUrls({ include: '', exclude: hostile, owner: 'a' }, ['http://a.cz/']), {
    code: 'invalid-input',
    message: /^exclude is too large: .* the limit is 10000\./,
  });
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 500_000);
});

test('an expression that is slow for many seeds is given up in a thread, while the main thread goes on', async () => {
  const urls = Array.from({ length: 20_000 }, (_, number) => `http://www.server-${number}.example.cz/`);
  const slow = { include: '.?'.repeat(4_900), exclude: '', owner: 'a' };
  const before = process.threadCpuUsage();
  await assert.rejects(judgeUrls(slow, urls, { mostCpuMs: 300 }), {
    code: 'invalid-input',
    message: /need more than 0.3 s of processor time/,
  });
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 400_000, `${user + system} µs on the main thread`);
});

test('a thread judges like the main thread', async () => {
  const urls = ['http://a.cz/', 'http://b.de/', 'nothing', 'http://a.cz/b/b/b/b'];
  const here = await judgeUrls({ include: String.raw`\.cz$`, exclude: '', owner: 'a' }, urls);
  const inThread = await judgeUrls({ include: String.raw`\.cz$|x{101}`, exclude: '', owner: 'a' }, urls);
  assert.deepEqual(inThread, here);
  assert.deepEqual(
    here.map(({ refusal }) => refusal?.replace(/:.*/, '')),
    [undefined, 'host outside include and exclude', undefined, 'looks endless'],
  );
});

test('a stored crawl whose expression is too large is stopped at start with an alert, and can be deleted', async (t) => {
  const engine = await runTestRobot(t, { robot: { harvesters: 1 } });
  const definition = crawlDefinition.parse({ seeds: ['http://127.0.0.1:9/'], allowPrivate: true });
  const named = {
    crawl: (await createCrawl(engine, { name: 'x', owner: 'local', limit: 0 }, definition)).id,
    owner: 'local',
  };
  const { query } = robotDatabase(engine);
  // As an earlier version stored it.
  const options = JSON.stringify({ ...definition, include: hostile });
  await query
    .updateTable('robot_crawl')
    .set({ options, state: 'running' })
    .where('id', '=', named.crawl)
    .execute();
  const alert = await eventually('there is an alert', async () =>
    (await engine.alerts.list()).find(({ kind }) => kind === 'robot.set-aside'),
  );
  assert.match(alert.reason, /^crawl x was stopped: include is too large/);
  assert.equal((await findCrawl(query, named.crawl, 'local')).state, 'stopped');
  await assert.rejects(changeState(engine, named, 'running'), { code: 'invalid-input' });
  await deleteCrawl(engine, named);
});
