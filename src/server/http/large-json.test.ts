import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PismakError } from '../../engine/ground/errors.ts';
import { checkJsonShape } from './json-shape.ts';
import { parseLargeJson } from './large-json.ts';

const parse = (text: string) => parseLargeJson(Buffer.from(text), JSON.parse);

/** CPU that this thread takes at most without a break. */
async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = () => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    longest = Math.max(longest, (user + system) / 1000);
  };
  let isOver = false;
  const tick = () => {
    look();
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  look();
  isOver = true;
  return longest;
}

test('large JSON is the same as parsed at once: lists, objects, texts with escapes and any characters', async () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('\\', '"', '\u0000', '😀', 'é', ',', '[', '}', '\n'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 9 }),
      async (parts, shape) => {
        const word = parts.join('').toWellFormed();
        const text = word
          .repeat(Math.ceil(700_000 / Math.max(1, word.length)))
          .slice(0, 700_000)
          .toWellFormed();
        const small = Array.from({ length: 9000 }, (_, n) => ({ [word]: [n, word, null], n: { n } }));
        const value = [
          { text },
          { list: small, after: word },
          { a: { b: { c: small } }, [word]: text },
          small,
        ][shape % 4];
        const spaced = shape > 5 ? JSON.stringify(value, null, ' \n') : JSON.stringify(value);
        assert.deepEqual(await parse(spaced), JSON.parse(spaced));
      },
    ),
    { numRuns: 5 },
  );
});

test('what is broken is refused wherever it is', async () => {
  const many = Array.from({ length: 90_000 }, (_, n) => n).join(', ');
  const long = 'x'.repeat(600_000);
  assert.ok(Array.isArray(await parse(`[${many}]`)));
  const wrong = [
    `[${many},]`,
    `[,${many}]`,
    `[${many}, ,${many}]`,
    `[${' '.repeat(300_000)},1]`,
    `[${many}]]`,
    `[[${many}]`,
    `[${many}}`,
    `[${many}],[${many}]`,
    `{"a":[${many}]`,
    `{"a":[${many}],}`,
    `{"a" [${many}]}`,
    `{a:[${many}]}`,
    `{"a":[${many}]} x`,
    `["${long}]`,
    `["${long}\\"]`,
    `["${long}\\u12"]`,
    `["${long}\n"]`,
  ];
  for (const text of wrong)
    await assert.rejects(
      () => parse(text),
      (error) => error instanceof SyntaxError || error instanceof PismakError,
      `${text.slice(0, 20)}...${text.slice(-20)}`,
    );
});

test('16 MB of events, of escapes or of one text keep the thread for a moment at once', async () => {
  const events = Array.from(
    { length: 60_000 },
    (_, n) => `{"id":"e${n}","n":${n},"pad":"${'x'.repeat(220)}"}`,
  );
  const bodies = [
    `{"events":[${events.join(',')}]}`,
    `{"text":"${'\\"'.repeat(8_000_000)}"}`,
    `{"text":"${'\\u0041'.repeat(2_600_000)}"}`,
  ];
  for (const body of bodies) {
    const json = Buffer.from(body);
    const ms = await longestPiece(async () => {
      await checkJsonShape(json, 1e9);
      await parseLargeJson(json, JSON.parse);
    });
    assert.ok(ms < 100, `${ms} ms`);
  }
});
