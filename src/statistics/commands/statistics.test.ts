import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { fakeClient } from '../../cli/testing/run-command.ts';
import { runOnEngine } from '../../cli/testing/run-on-engine.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { ManualClock } from '../../engine/time/clock.ts';
import { openTestEngine } from '../../server/testing/test-engine.ts';
import { readQuestion } from './question-options.ts';

const root = join(import.meta.dirname, '..', '..', '..');

async function commandLine(t: { after(work: () => unknown): void }) {
  const directory = await temporaryDirectory(t);
  const engine = await openTestEngine(t);
  const pismak = async (...words: string[]) => {
    const { code, stdout, stderr } = await runOnEngine(engine, ['statistics', ...words], directory);
    return { code, text: code === 0 ? stdout : stdout + stderr };
  };
  return { directory, pismak };
}

const line = (fields: object) =>
  `${JSON.stringify({
    id: 'e1',
    kind: 'keyword',
    entity: 17,
    user: 3,
    split: 'context',
    at: '2026-03-29T01:59:00+01:00',
    clicks: 1,
    cost: 250,
    ...fields,
  })}\n`;
const march = ['--user', '3', '--from', '2026-03-01', '--to', '2026-03-31'];

describe('pismak statistics', () => {
  test('a file is counted once however often it is ingested, and shown as JSON, CSV, chart and table', async (t) => {
    const { directory, pismak } = await commandLine(t);
    const file = join(directory, 'events.ndjson');
    await writeFile(file, line({}) + line({ entity: 18, clicks: 11, cost: 9000 }) + line({ kind: 'x' }));
    const first = await pismak('ingest', file, '--schema', 'advertising');
    assert.match(first.text, /^2 events counted, 1 refused\nline 3 \(e1\): kind: there is no kind x\n$/);
    assert.match(
      (await pismak('ingest', file, '--schema', 'advertising')).text,
      /^0 events counted, 2 counted before/,
    );
    assert.match((await pismak('rollup')).text, /^\d+ units with \d+ rows built/);

    const { text } = await pismak(
      'series',
      'keyword',
      ...march,
      '--granularity',
      'week',
      '--total',
      '--json',
    );
    const { points, total } = JSON.parse(text);
    assert.deepEqual([points.length, total.clicks, total.cost], [6, 12, 9250]);
    const week = points.find(({ id }: { id: string }) => id === '202613');
    assert.deepEqual([week.start, week.end, week.sums.clicks], ['2026-03-23', '2026-03-29', 12]);

    const cheap = ['--filter', 'cost<5000', '--filter', 'clicks>0'];
    const csv = await pismak('series', 'keyword', ...march, ...cheap, '--granularity', 'month', '--csv');
    assert.equal(
      csv.text,
      'id,start,end,impressions,clicks,cost,conversions,conversionValue\n202603,2026-03-01,2026-03-31,0,1,250,0,0\n',
    );
    assert.match(
      (await pismak('series', 'keyword', ...march, '--chart', 'clicks')).text,
      /^clicks of keyword\n12 │.*█/m,
    );
    const table = (await pismak('table', 'keyword', ...march, '--sort', 'cost:desc', '--limit', '50')).text;
    assert.match(table, /^18 .* 11 +9000 .*\n17 .* 1 +250 .*\nall 2 .* 12 +9250/m);
    assert.match((await pismak('reconcile')).text, /^all levels agree: \d+ units checked/);
    assert.match(
      (await pismak('explain', 'keyword', ...march, '--granularity', 'month')).text,
      /\+month 2026-03/,
    );

    await appendFile(file, line({ entity: 19 }));
    const grown = await pismak('ingest', file);
    assert.equal(grown.code, 1);
    assert.match(
      grown.text,
      /lines 1 to 4 of .* were counted before with other content\. If the file has grown/,
    );
    const wrong = await pismak('series', 'keyword', '--user', '3', '--filter', 'cost');
    assert.deepEqual([wrong.code, /not a filter; write cost<5000/.test(wrong.text)], [2, true]);
  });

  test('CSV, sums of days, entities from a file, closed months and backfills', async (t) => {
    const { directory, pismak } = await commandLine(t);
    const days = join(directory, 'days.csv');
    await writeFile(
      days,
      'kind,entity,user,split,day,clicks,cost\nkeyword,17,3,context,2026-03-01,5,100\n"keyword","18",3,fulltext,2026-03-02,,200\n',
    );
    assert.equal((await pismak('ingest', days, '--level', 'day')).text, '2 events counted\n');
    const entities = join(directory, 'entities.ndjson');
    await writeFile(
      entities,
      '{"kind":"keyword","user":3,"entity":17,"name":"shoes, red","status":"paused"}\n',
    );
    assert.equal((await pismak('entity', 'import', entities)).text, '0 entities created, 1 updated\n');
    const wrong = join(directory, 'wrong.ndjson');
    const first = '\ufeff{"kind":"keyword","user":3,"entity":17}\n\n';
    await writeFile(wrong, `${first}{"kind":"keywrod","user":3,"entity":1}\n`);
    assert.match((await pismak('entity', 'import', wrong)).text, /line 3: kind: there is no kind keywrod/);
    await writeFile(wrong, `${first}{"kind":"keyword","user":3,"entity":1,"name":5}\n`);
    assert.match((await pismak('entity', 'import', wrong)).text, /line 3: name: it must be a text/);
    const paused = await pismak('table', 'keyword', ...march, '--filter', 'status=paused', '--csv');
    assert.match(paused.text, /^17,"shoes, red",paused,,0,5,100,/m);

    assert.equal((await pismak('close', '2026-03')).text, '2026-03 is closed\n');
    await writeFile(join(directory, 'late.ndjson'), line({ id: 'late' }));
    const late = await pismak('ingest', join(directory, 'late.ndjson'));
    assert.equal(late.text, '0 events counted, 1 listed as corrections of closed months\n');
    assert.match((await pismak('corrections', '3')).text, /^late +keyword +17 .*clicks 1, cost 250/m);
    assert.equal((await pismak('close', '2026-03', '--open')).text, '2026-03 is open again\n');
    const backfill = [
      'backfill',
      'keyword',
      join(directory, 'late.ndjson'),
      '--user',
      '3',
      '--day',
      '2026-03-29',
    ];
    assert.equal((await pismak(...backfill)).text, '2026-03-29 of keyword of user 3 now has 1 event\n');
  });

  test('a file of which every event is refused fails, and wrong words are answered with the right ones', async (t) => {
    const { directory, pismak } = await commandLine(t);
    const file = join(directory, 'events.ndjson');
    await writeFile(file, line({ kind: 'x' }));
    const refused = await pismak('ingest', file);
    assert.equal(refused.code, 2);
    assert.match(
      refused.text,
      /^0 events counted, 1 refused\nline 1 .*\n(?:.*\n)*.*every event of .* was refused/,
    );
    // As Windows writes it.
    await writeFile(file, `\ufeff${line({})}`);
    assert.equal((await pismak('ingest', file)).text, '1 event counted\n');
    const wrong: [string[], RegExp][] = [
      [['ingest', file, '--format', 'xml'], /it must be one of ndjson, csv/],
      [['ingest', file, '--level', 'week'], /it must be one of event, day/],
      [
        ['ingest', file, '--schema', 'advertisng'],
        /schema: there is no schema advertisng; use one of advertising, pismak/,
      ],
      [['schema', 'advertisng'], /schema: there is no schema advertisng; use one of advertising, pismak/],
      [['series', 'keyword', ...march, '--granularity', 'fortnight'], /it must be one of hour, day, week/],
      [['table', 'keyword', ...march, '--over', 'never'], /it must be one of interval, all/],
      [['table', 'keyword', ...march, '--limit', '5000'], /it must be a number from 1 to 1000/],
      [['table', 'keyword', ...march, '--segment', 'kind'], /it must be one of split/],
      [['rollup', '--from', '2026-05-01', '--to', '2026-01-01'], /to: 2026-01-01 is before 2026-05-01/],
      [
        ['rollup', '--kind', 'keyword', '--split', 'contxt'],
        /split: there is no contxt; use one of fulltext, context/,
      ],
      [['close', '2999-01'], /month: 2999-01 has not ended yet/],
    ];
    for (const [words, message] of wrong) {
      const { code, text } = await pismak(...words);
      assert.ok(code !== 0, words.join(' '));
      assert.match(text, message);
    }
    assert.equal((await pismak('erase', 'nobody', '--yes')).text, 'nothing is counted about user nobody\n');
    const day = ['--user', '3', '--day', '2026-03-29'];
    const empty = join(directory, 'empty.ndjson');
    await writeFile(empty, '\n');
    assert.match(
      (await pismak('backfill', 'keyword', empty, ...day)).text,
      /is empty, so 2026-03-29 would have/,
    );
    const long = join(directory, 'long.ndjson');
    await writeFile(long, `${line({})}${'x'.repeat(17 * 2 ** 20)}`);
    for (const words of [
      ['ingest', long],
      ['backfill', 'keyword', long, ...day],
      ['entity', 'import', long],
    ])
      assert.match((await pismak(...words)).text, /line 2 of .* is longer than a line may be/);
    await writeFile(long, line({ id: 'x'.repeat(300) }).repeat(40_000));
    assert.match((await pismak('backfill', 'keyword', long, ...day)).text, /has more than 16 MB/);
    const options = ['--granularity', 'none', '--csv', '--dimensions', 'clicks, cost'];
    const spaced = await pismak('series', 'keyword', ...march, ...options);
    assert.match(spaced.text, /^none,2026-03-01,2026-03-31,1,250$/m);
  });

  test('the last day is today where days are counted, whatever the date is elsewhere', async () => {
    const client = fakeClient({ 'statistics.schema': { timezone: 'Europe/Prague', kinds: [] } });
    // Past midnight in Prague.
    const clock = new ManualClock(Date.parse('2026-11-16T23:30:00Z'));
    const options = { user: '3', over: 'interval' } as const;
    const { from, to } = await readQuestion('keyword', options, { client: async () => client, clock });
    assert.deepEqual([from, to], ['2026-10-19', '2026-11-17']);
  });

  test('the scenarios of the examples hold for every kind, and a wrong answer is shown with its difference', async (t) => {
    const { directory, pismak } = await commandLine(t);
    const scenarios = join(root, 'examples', 'statistics', 'scenarios');
    assert.equal((await pismak('rpctest', scenarios)).text, '168 passed, 0 failed, 12 skipped\n');
    const copy = join(directory, 'scenarios');
    await cp(scenarios, copy, { recursive: true });
    const weekly = join(copy, '003-weekly.yml');
    await writeFile(weekly, (await readFile(weekly, 'utf8')).replace('clicks: 48', 'clicks: 49'));
    const { code, text } = await pismak('rpctest', copy, '--kind', 'keyword');
    assert.equal(code, 1);
    assert.match(
      text,
      /FAILED .*003-weekly\.yml#2 keyword\.granularizedSumStats\n {2}expected: .*\n {2}got: /,
    );
    assert.match(text, /difference: points\[1\]\.sums\.clicks is 48, not 49\n/);

    const other = join(directory, 'other');
    await mkdir(other);
    const aliases = `a: &a [${'x, '.repeat(50)}x]\nb: &b [${'*a, '.repeat(50)}*a]\nc: [${'*b, '.repeat(50)}*b]\n`;
    const wrong: [string, RegExp][] = [
      ['# nothing\n', /have no scenarios/],
      ['metod: x\n', /one\.yml, scenario 1: method: it is missing/],
      [aliases, /one\.yml: .*alias/],
    ];
    for (const [content, message] of wrong) {
      await writeFile(join(other, 'one.yml'), content);
      const refused = await pismak('rpctest', other);
      assert.equal(refused.code, 2);
      assert.match(refused.text, message);
    }
  });

  test('the demonstration draws the filtered chart above the table', async (t) => {
    const keep = ['--keep', join(await temporaryDirectory(t), 'kept')];
    const play = () => promisify(execFile)(join(root, 'bin', 'pismak'), ['statistics', 'demo', ...keep]);
    const { stdout: text } = await play();
    assert.match(
      text,
      /events of two years counted.*\n\nKeywords of user 3 .*: \d+ of 120\nclicks of these keywords by week\n/,
    );
    assert.match(text, /^all \d+ /m);
    await assert.rejects(play(), /kept has keywords of user 3 already/, 'tomorrow it would count them again');
  });
});
