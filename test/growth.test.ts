import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportedFunctions } from './growth/exported-functions.ts';
import { foreignTexts } from './growth/foreign-texts.ts';
import { accepted } from './growth/hostile-shapes.ts';
import { measureApart } from './growth/measure-apart.ts';
import { growthOf, mostGrowth } from './growth/measure-growth.ts';
import { unlisted } from './growth/unlisted.ts';

/** Characters, and milliseconds of CPU for them: linear functions take a tenth of these at most, quadratic ones of the usual kind five times as many. */
const size = 10_000;
const budgetMs = 75;

const parts = await foreignTexts();

async function growthOfPlanted(reader: string, stallMs: number) {
  const list = new URL('./growth/planted-readers.ts', import.meta.url).href;
  const answers: object[] = [];
  await measureApart(list, [{ reader, measure: { leastMs: 5 } }], {
    stallMs,
    report: (_, answer) => answers.push(answer),
  });
  const [answer] = answers;
  if (answer && 'done' in answer)
    return (answer.done as Parameters<typeof growthOf>[0][]).filter((one) => growthOf(one) > mostGrowth);
  return answer;
}

test('a function that takes quadratic time is found, with the text that shows it', async () => {
  const found = await growthOfPlanted('quadratic', 120_000);
  assert.ok(Array.isArray(found));
  assert.ok(
    found.some(({ shape }) => shape === '"<" repeated'),
    JSON.stringify(found),
  );
});

test('a function that takes exponential time is stopped, and the text at which it was is named', async () => {
  const found = await growthOfPlanted('exponential', 1_000);
  assert.match(JSON.stringify(found), /\\"a\\" before|\\"a\\" repeated|after a run of \\"a\\"/);
});

test('a function that takes linear time passes, however much memory it needs', async () => {
  for (const reader of ['linear', 'linear, with much memory'])
    assert.deepEqual(await growthOfPlanted(reader, 120_000), []);
});

test('every function that reads foreign text is listed, or excused with a reason', () => {
  const functions = exportedFunctions();
  assert.ok(functions.length > 1000, `only ${functions.length} functions found`);
  assert.deepEqual(unlisted(functions, parts), []);
});

test('a function that is not listed is found, and so is an entry for one that is gone', () => {
  const reader = { read: (text: string) => text, samples: [], tokens: [] };
  const functions = ['a.ts parseA', 'a.ts readyFor', 'b.ts decodeB', 'c.ts scanC'].map((name) => ({
    part: 'mail',
    name,
  }));
  const foreignText = {
    readers: { 'c.ts scanC': reader, 'd.ts readD': reader },
    excused: { 'b.ts decodeB': 'ours' },
  };
  assert.deepEqual(unlisted(functions, [{ part: 'mail', list: '', foreignText }]), [
    'src/mail/a.ts parseA: list or excuse it in src/mail/testing/foreign-text.ts',
    'src/mail/testing/foreign-text.ts lists d.ts readD, which no file exports',
  ]);
});

for (const { part, list, foreignText } of parts) {
  const readers = Object.entries(foreignText?.readers ?? {});
  if (readers.length === 0) continue;

  test(`the functions of ${part} that read foreign text accept their samples`, async () => {
    for (const [name, { read, samples }] of readers)
      for (const sample of samples)
        await assert.doesNotReject(async () => read(accepted(sample)), `${name}: ${sample}`);
  });

  test(`no function of ${part} spends ${budgetMs} ms of CPU on ${size} hostile characters`, async () => {
    const orders = readers.map(([reader]) => ({ reader, measure: { size } }));
    const dear: string[] = [];
    await measureApart(list, orders, {
      stallMs: 120_000,
      report({ reader }, answer) {
        if ('stuckAt' in answer) dear.push(`${reader} is stuck at ${answer.stuckAt}`);
        else if ('costs' in answer)
          for (const { shape, ms } of answer.costs)
            if (ms > budgetMs) dear.push(`${reader} takes ${ms} ms for ${shape}`);
      },
    });
    assert.deepEqual(dear, []);
  });
}
