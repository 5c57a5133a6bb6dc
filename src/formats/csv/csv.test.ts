import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { readCsv } from './read-csv.ts';
import { csvRecord, notFormula } from './write-csv.ts';

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string | Uint8Array, size = 7): Promise<string[][]> {
  return (await Array.fromAsync(readCsv(inPieces(Buffer.from(text), size)))).flat();
}

const refused = (message: RegExp) => (error: { code?: string; message: string }) =>
  error.code === 'invalid-input' && message.test(error.message);

test('what was written is read back, in whatever pieces it arrives', async () => {
  const field = fc.oneof(
    fc.stringMatching(/^[a-z",;\r\n\t ěž]{0,8}$/),
    fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
  );
  const records = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.integer({ min: 1, max: 50 }),
      fc.constantFrom('\n', '\r\n'),
      async (rows, size, lineEnd) => {
        // The first line has commas only, so that they are the delimiter.
        const all = [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'], ...rows];
        const text = all.map((row) => `${csvRecord(row)}${lineEnd}`).join('');
        assert.deepEqual(await read(text, size), all);
      },
    ),
    { numRuns: 50 },
  );
});

test('the first line decides on the delimiter; empty lines and a byte order mark are no records', async () => {
  assert.deepEqual(await read('\ufeffa;b;c,d\r\n\r\n1;"2;\n""x"""\r\n'), [
    ['a', 'b', 'c,d'],
    ['1', '2;\n"x"'],
  ]);
  assert.deepEqual(await read('a\tb\n\t\n,'), [['a', 'b'], ['', ''], [',']]);
  assert.deepEqual(await read('a'), [['a']]);
  assert.deepEqual(await read(''), []);
});

test('a file that is not CSV is refused, and says why', async () => {
  await assert.rejects(read('a,b\n1,"2'), refused(/never closed/));
  await assert.rejects(read('a,b\n"1"x,2\n'), refused(/follows the closing quote/));
  await assert.rejects(read(Buffer.from('a\n\xe9\n', 'latin1')), refused(/not UTF-8/));
  await assert.rejects(read(`a,b\n${'x,'.repeat(1000)}\n`, 65_536), refused(/more than 1000 columns/));
  await assert.rejects(read(`a,b\n"${'x'.repeat(3 << 20)}`, 65_536), refused(/too long/));
  await assert.rejects(read(`a,b\n"x",${'"",'.repeat(2000)}\n`, 65_536), refused(/more than 1000 columns/));
});

test('hostile CSV is read or refused at once', async () => {
  const many = 250_000;
  for (const text of [
    '"\n'.repeat(many),
    '""'.repeat(many),
    ','.repeat(many),
    '\n'.repeat(many),
    'a,"\n'.repeat(many),
  ]) {
    const spent = await cpuTime(() => read(text, 65_536).catch(refused(/./)));
    assert.ok(spent < 1000, `${spent} ms for ${JSON.stringify(text.slice(0, 6))}`);
  }
});

test('a long record that arrives in small pieces is not read again with each of them', async () => {
  const text = `a,"${'""'.repeat(400_000)}"\n`;
  let records: string[][] = [];
  const spent = await cpuTime(async () => {
    records = await read(text, 100);
  });
  assert.deepEqual(
    records.map((fields) => fields.map((field) => field.length)),
    [[1, 400_000]],
  );
  assert.ok(spent < 1000, `${spent} ms`);
});

test('texts of other people can not become formulas of a spreadsheet', () => {
  assert.deepEqual(['=1+1', '@x', '-5', 'a=b'].map(notFormula), ["'=1+1", "'@x", "'-5", 'a=b']);
});
