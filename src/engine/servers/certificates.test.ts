import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { createCertificates } from '../testing/servers/certificates.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { readCertificate, tlsServers } from './certificates.ts';

test('the servers that the settings name with TLS are found, whatever their section', () => {
  const settings = {
    broker: 'amqps://pismak:p%40ss@rabbit1,rabbit2:5999/pismak?cacertfile=/ca.pem',
    database: 'postgres://pismak:secret@[::1]/pismak?sslmode=verify-full',
    blobs: 'postgres://pismak:secret@db/pismak',
    coordination: 'embedded:',
    shop: { relays: { main: { url: 'smtps://user:secret@relay' } } },
  };
  const found = tlsServers(settings).map(({ setting, host, port }) => `${setting} ${host} ${port}`);
  assert.deepEqual(found, [
    'broker rabbit1 5671',
    'broker rabbit2 5999',
    'database ::1 5432',
    'shop.relays.main.url relay 465',
  ]);
});

test('a server that does not answer is told with the reason', async () => {
  const server = { setting: 'broker', host: '127.0.0.1', port: 1, asksFirst: false };
  const { validTo, problem } = await readCertificate(server, new AbortController().signal);
  assert.equal(validTo, null);
  assert.match(problem ?? '', /ECONNREFUSED/);
});

test('the end of a certificate is read from the server, also behind the greeting of PostgreSQL', async (t) => {
  const directory = await temporaryDirectory(t);
  const { certificate, key } = await createCertificates(join(directory, 'tls'));
  const [cert, secret] = await Promise.all([readFile(certificate), readFile(key)]);
  const plain = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, cert, key: secret }).on('error', () => {});
    });
  });
  const secure = createTlsServer({ cert, key: secret });
  for (const [server, asksFirst] of [
    [secure, false],
    [plain, true],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const named = { setting: 'broker', host: '127.0.0.1', port, asksFirst };
    const read = await readCertificate(named, AbortSignal.timeout(20_000));
    assert.deepEqual([read.subject, read.issuer, read.problem], ['localhost', 'Authority', null]);
    assert.ok((read.validTo ?? 0) > Date.now() + 86_400_000);
  }
});
