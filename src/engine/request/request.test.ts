import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasCode } from '../ground/errors.ts';
import { decodeRequest, encodeRequest, milliseconds, newRequest, newStageLog, toMessage } from './request.ts';

const example = () =>
  newRequest({
    uuid: 'u-1',
    stages: ['a', 'out'],
    files: [{ name: 'page.txt', content: Buffer.from('text') }],
    startedAt: 1_700_000_000_123,
  });

test('a request comes back from the wire as it was sent', () => {
  const request = example();
  request.logs.push(
    newStageLog({
      hostId: 'w',
      stage: 'a',
      version: 3,
      attempt: 2,
      startedAt: 1,
      endedAt: 2_001,
      status: 'OK',
      log: 'x',
    }),
  );
  const back = decodeRequest(encodeRequest(request));
  assert.equal(back.uuid, 'u-1');
  assert.deepEqual(back.processingStages, ['a', 'out']);
  assert.equal(Buffer.from(back.results[0]?.content ?? []).toString(), 'text');
  assert.equal(milliseconds(back.startTime), 1_700_000_000_123);
  assert.equal(milliseconds(back.logs[0]?.end), 2_001);
});

test('PERO’s programs find the version of a stage in their own field of the log', () => {
  const log = newStageLog({
    hostId: 'w',
    stage: 'a',
    version: 12,
    attempt: 1,
    startedAt: 1,
    endedAt: 2,
    status: 'OK',
    log: '',
  });
  const request = example();
  request.logs.push(log);
  // Field 7 as text: 7 << 3 | 2, its length, its characters.
  assert.ok(Buffer.from(encodeRequest(request)).includes(Buffer.from([0x3a, 2, 0x31, 0x32])));
});

test('a message written by hand from the seven field numbers of PERO is understood', () => {
  const text = (field: number, value: string) =>
    Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), Buffer.from(value)]);
  const result = Buffer.concat([text(1, 'page.jpg'), text(2, 'bytes')]);
  const log = Buffer.concat([text(1, 'host'), text(2, 'ocr'), text(5, 'OK'), text(6, 'fine')]);
  const body = Buffer.concat([
    text(1, 'uuid-1'),
    text(2, 'page-1'),
    Buffer.from([(3 << 3) | 0, 1]),
    Buffer.concat([Buffer.from([(4 << 3) | 2, 2]), Buffer.from([(1 << 3) | 0, 100])]),
    text(5, 'ocr'),
    text(5, 'out'),
    Buffer.concat([Buffer.from([(6 << 3) | 2, result.length]), result]),
    Buffer.concat([Buffer.from([(7 << 3) | 2, log.length]), log]),
  ]);
  const request = decodeRequest(body);
  assert.equal(request.pageUuid, 'page-1');
  assert.equal(request.priority, 1);
  assert.equal(milliseconds(request.startTime), 100_000);
  assert.deepEqual(request.processingStages, ['ocr', 'out']);
  assert.equal(request.results[0]?.name, 'page.jpg');
  assert.equal(request.logs[0]?.status, 'OK');
  assert.equal(request.acceptsReferences, false, 'a foreign producer gets its results inline');
  assert.equal(toMessage(request).lane, 'high');
  request.processingStages = ['out'];
  assert.equal(toMessage(request).lane, 'normal', 'its result is in the queue it named');
});

test('fields of a newer version are kept', () => {
  const unknown = Buffer.concat([Buffer.from([0xba, 0x06, 3]), Buffer.from('new')]); // field 103
  const body = Buffer.concat([encodeRequest(example()), unknown]);
  const passedOn = Buffer.from(encodeRequest(decodeRequest(body)));
  assert.ok(passedOn.includes(unknown));
});

test('anything that is not a request is refused as invalid', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        const request = decodeRequest(bytes);
        assert.ok(request.uuid !== '' && request.processingStages.length > 0);
      } catch (error) {
        assert.ok(hasCode(error, 'request-invalid'), String(error));
      }
    }),
  );
  assert.throws(() => decodeRequest(randomBytes(1000)), { code: 'request-invalid' });
  assert.throws(() => decodeRequest(encodeRequest(example()).subarray(0, 12)), { code: 'request-invalid' });
  assert.throws(() => decodeRequest(new Uint8Array()), { code: 'request-invalid' });
});
