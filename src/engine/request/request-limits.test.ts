import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeRequest, encodeRequest, newFile, newRequest, newStageLog, type Request } from './request.ts';
import { requestLimits } from './request-limits.ts';

const example = (change: (request: Request) => void): Uint8Array => {
  const request = newRequest({ uuid: 'u-1', stages: ['read', 'out'], files: [], startedAt: 1 });
  change(request);
  return encodeRequest(request);
};
const log = newStageLog({
  hostId: 'w',
  stage: 'a',
  version: 1,
  attempt: 1,
  startedAt: 1,
  endedAt: 2,
  status: 'OK',
  log: '',
});
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** What a foreign producer, or a hostile one, may put into a queue. */
const tooMuch: Record<string, Uint8Array> = {
  '100,000 files': example(({ results }) => results.push(...many(100_000, newFile('f', Buffer.alloc(0))))),
  '100,000 stages': example(({ processingStages }) => processingStages.push(...many(100_000, 's'))),
  '101 stages': example(({ processingStages }) => processingStages.push(...many(99, 's'))),
  '100,000 logs': example(({ logs }) => logs.push(...many(100_000, log))),
  'a long id': example((request) => Object.assign(request, { uuid: 'u'.repeat(1000) })),
  'a long owner': example((request) => Object.assign(request, { owner: 'o'.repeat(1_000_000) })),
  'a long stage': example(({ processingStages }) => processingStages.push('s'.repeat(300))),
  'a long name': example(({ results }) => results.push(newFile('n'.repeat(2000), Buffer.alloc(0)))),
  'a long log': example(({ logs }) => logs.push({ ...log, log: 'x'.repeat(2_000_000) })),
  '8 million empty files': Buffer.concat([
    example(() => {}),
    Buffer.alloc(16 * 2 ** 20, Buffer.from([0x32, 0])),
  ]),
  'millions of unknown fields': Buffer.concat([
    example(() => {}),
    Buffer.alloc(2 ** 22, Buffer.from([0xa0, 0x06, 0])),
  ]),
  'millions of fields in one file': nested(6, Buffer.alloc(2 ** 22, Buffer.from([0x58, 0]))),
  'millions of fields in the time of a log': nested(
    7,
    nested(3, Buffer.alloc(2 ** 22, Buffer.from([0x58, 0])), false),
  ),
};

/** A length-delimited field, after a whole request. */
function nested(field: number, content: Uint8Array, isTop = true): Uint8Array {
  const length: number[] = [];
  for (let rest = content.length; ; rest >>>= 7) {
    length.push(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127) break;
  }
  const start = isTop ? example(() => {}) : Buffer.alloc(0);
  return Buffer.concat([start, Buffer.from([(field << 3) | 2, ...length]), content]);
}

for (const [name, body] of Object.entries(tooMuch)) {
  test(`a request that carries too much is refused, and costs little memory: ${name}`, () => {
    const before = process.memoryUsage().heapUsed;
    assert.throws(
      () => decodeRequest(body),
      (error: Error & { code?: string }) => error.code === 'request-invalid' && error.message.length < 500,
    );
    assert.ok(process.memoryUsage().heapUsed - before < 100e6);
  });
}

test('as much as a large book needs is not too much', () => {
  const { files, stages, logs } = requestLimits;
  const body = example((request) => {
    request.results.push(...many(files, newFile('page-00001.text.json', Buffer.alloc(10))));
    request.processingStages = many(stages, 'stage');
    request.logs.push(...many(logs, log));
  });
  assert.equal(decodeRequest(body).results.length, files);
});
