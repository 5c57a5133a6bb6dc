import assert from 'node:assert/strict';
import { get, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { runServer } from '../testing/running-server.ts';
import { bestEncoding } from './compress-answers.ts';

test('an answer above 1 KB is compressed as the caller accepts it, with the same content', async (t) => {
  const server = await runServer(t);
  const ask = (path: string, encodings?: string) =>
    new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((done, fail) => {
      const headers = {
        authorization: `Bearer ${server.localToken}`,
        ...(encodings !== undefined && { 'accept-encoding': encodings }),
      };
      get(`${server.localUrl}${path}`, { headers }, (answer) => {
        buffer(answer).then((body) => done({ headers: answer.headers, body }), fail);
      }).on('error', fail);
    });
  const large = '/api/v1/session/show';
  const plain = await ask(large);
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.equal(plain.headers.vary, 'accept-encoding');
  assert.ok(plain.body.length > 1024);

  const brotli = await ask(large, 'gzip, deflate, br');
  assert.equal(brotli.headers['content-encoding'], 'br');
  assert.equal(Number(brotli.headers['content-length']), brotli.body.length);
  assert.ok(brotli.body.length < plain.body.length / 2);
  assert.deepEqual(brotliDecompressSync(brotli.body), plain.body);

  const gzip = await ask(large, 'br;q=0, gzip');
  assert.equal(gzip.headers['content-encoding'], 'gzip');
  assert.deepEqual(gunzipSync(gzip.body), plain.body);

  const small = await ask('/api/v1/stage/show?name=none', 'br');
  assert.equal(small.headers['content-encoding'], undefined);
  assert.equal(JSON.parse(small.body.toString()).error.code, 'stage-unknown');
});

test('only what the caller accepts counts, in any order and case', () => {
  assert.equal(bestEncoding('GZIP, Br'), 'br');
  assert.equal(bestEncoding('gzip;q=0.5'), 'gzip');
  assert.equal(bestEncoding('br;q=0, gzip;q=0.0'), undefined);
  assert.equal(bestEncoding('identity, *'), undefined);
  assert.equal(bestEncoding(undefined), undefined);
});
