import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificates } from '../../engine/testing/servers/certificates.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { FetchFailure } from './fetch-failure.ts';
import { SecureHttp } from './secure-http.ts';

test('a request that was lost because an HTTP/2 server ended the connection can be made again at once', async (t) => {
  const { authority, certificate, key } = await createCertificates(join(await temporaryDirectory(t), 'tls'));
  const before = getCACertificates();
  setDefaultCACertificates([await readFile(authority, 'utf8')]);
  t.after(() => setDefaultCACertificates(before));
  const server = createSecureServer({ cert: await readFile(certificate), key: await readFile(key) });
  let requests = 0;
  server.on('stream', (stream) => {
    requests++;
    stream.on('error', () => {});
    stream.respond({ ':status': 200, 'content-length': 2 });
    if (requests !== 2) return void stream.end('ab');
    stream.write('a', () => stream.session?.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const http = new SecureHttp({
    origin: `https://localhost:${port}`,
    host: 'localhost',
    address: '127.0.0.1',
    headers: {},
    connections: 1,
    timeoutMs: 20_000,
    connectMs: 20_000,
  });
  t.after(() => http.close());
  assert.equal((await http.get('/a', {}, 1_000)).status, 200);
  const lost = await http.get('/b', {}, 1_000).catch((failure: unknown) => failure);
  assert.ok(lost instanceof FetchFailure && lost.wasIdle);
  assert.equal((await http.get('/b', {}, 1_000)).status, 200);
});
