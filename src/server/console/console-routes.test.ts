import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { runServer } from '../testing/running-server.ts';
import { consoleFiles } from './console-files.ts';
import { consolePolicy } from './console-routes.ts';

const script = `console.log('one');\n`.repeat(20);
const page =
  '<!doctype html><title>Pismak</title><script type="module" src="/console/assets/main-1.js"></script>';

/** A small build, as web/build.ts leaves it. */
async function writeBuild(directory: string, build: string, name = 'assets/main-1.js'): Promise<void> {
  await mkdir(join(directory, build, 'assets'), { recursive: true });
  await writeFile(join(directory, build, name), script);
  await writeFile(join(directory, build, `${name}.br`), brotliCompressSync(script));
  await writeFile(join(directory, build, 'index.html'), page);
  await writeFile(join(directory, 'secret.txt'), 'not for you');
  const files = [
    {
      path: name,
      type: 'text/javascript; charset=utf-8',
      size: script.length,
      br: 30,
      etag: `main-${build}`,
    },
    { path: 'index.html', type: 'text/html; charset=utf-8', size: page.length, etag: `page-${build}` },
  ];
  await writeFile(join(directory, 'console.new'), JSON.stringify({ build, hash: build, files }));
  await rename(join(directory, 'console.new'), join(directory, 'console.json'));
}

async function runConsole(t: TestContext, { enabled = true } = {}) {
  const consoleDirectory = await temporaryDirectory(t);
  await writeBuild(consoleDirectory, '0123456789ab');
  const server = await runServer(t, { consoleDirectory, settings: { console: { enabled } } });
  return Object.assign(server, { consoleDirectory });
}

const browser = { headers: { accept: 'text/html,*/*' } };

test('a browser that opens the address comes to the console; a program and whoever asks get the page of health', async (t) => {
  const server = await runConsole(t);
  const opened = await server.send('GET', '/', browser);
  assert.deepEqual([opened.status, opened.headers.get('location')], [302, '/console/']);
  for (const [path, as] of [['/', {}] as const, ['/?health', browser] as const]) {
    const health = await server.send('GET', path, as);
    assert.equal(health.status, 200);
    assert.match(health.text, /Everything works/);
  }
});

test('a browser gets the page of health when a store does not answer', async (t) => {
  const server = await runConsole(t);
  await server.engine.database.close();
  const down = await server.send('GET', '/', browser);
  assert.equal(down.status, 200);
  assert.match(down.text, /A part does not answer/);
});

test('every address below /console/ is the page, under a policy that lets in only our own files', async (t) => {
  const server = await runConsole(t);
  for (const path of ['/console/', '/console/engine/queues?state=dead', '/console/a/b/c/d.e']) {
    const { status, text, headers } = await server.send('GET', path);
    assert.equal(status, 200);
    assert.equal(text, page);
    assert.equal(headers.get('content-security-policy'), consolePolicy);
    assert.equal(headers.get('cache-control'), 'no-cache');
    const again = await server.send('GET', path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    assert.equal(again.status, 304);
  }
  assert.doesNotMatch(consolePolicy, /unsafe|\*|http/);
  const api = await server.send('GET', '/api/v1/health');
  assert.match(api.headers.get('content-security-policy') ?? '', /^default-src 'none'; base-uri 'none'/);
});

test('files with a hash in their name are kept for ever, and come compressed to those who ask', async (t) => {
  const { localUrl } = await runConsole(t);
  const answer = await new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const url = `${localUrl}/console/assets/main-1.js`;
    get(url, { headers: { 'accept-encoding': 'gzip, br' } }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ headers: response.headers, body: Buffer.concat(chunks) });
    }).on('error', reject);
  });
  assert.equal(answer.headers['content-encoding'], 'br');
  assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(answer.headers.vary, 'accept-encoding');
  assert.equal(brotliDecompressSync(answer.body).toString(), script);
});

test('no path leads out of the console: what is not in its list does not exist', async (t) => {
  const server = await runConsole(t);
  for (const path of [
    '/console/assets/../secret.txt',
    '/console/assets/%2e%2e/%2e%2e/secret.txt',
    '/console/assets/..%2fconsole.json',
    '/console/assets/main-2.js',
    '/console/assets/main-1.js.br',
    '/console/assets/__proto__',
  ]) {
    const { text, status } = await server.send('GET', path);
    assert.ok(status === 404 || text === page, `${path}: ${status}`);
    assert.doesNotMatch(text, /not for you/);
  }
});

test('a tab learns that the server has another build, and the files of the new one are there at once', async (t) => {
  const server = await runConsole(t);
  assert.deepEqual((await server.send('GET', '/console/build.json')).body, {
    build: '0123456789ab',
    signedIn: false,
  });
  await writeBuild(server.consoleDirectory, 'ba9876543210', 'assets/main-2.js');
  assert.deepEqual((await server.send('GET', '/console/build.json')).body, {
    build: 'ba9876543210',
    signedIn: false,
  });
  assert.equal((await server.send('GET', '/console/assets/main-2.js')).status, 200);
  assert.equal((await server.send('GET', '/console/assets/main-1.js')).status, 404);
});

test('while the console is being built the page says so and comes by itself; the address keeps its page of health', async (t) => {
  const server = await runServer(t, { consoleDirectory: await temporaryDirectory(t) });
  const { status, text } = await server.send('GET', '/console/engine/queues');
  assert.equal(status, 200);
  assert.match(text, /being built/);
  assert.match(text, /location\.reload/);
  assert.equal((await server.send('GET', '/', browser)).status, 200);
});

test('a house that is a package of its own brings its part; a part of another build is left out', async (t) => {
  const [shell, house, old] = await Promise.all([1, 2, 3].map(() => temporaryDirectory(t)));
  await writeBuild(shell ?? '', '0123456789ab');
  await writeBuild(house ?? '', '0123456789ab', 'assets/mail-1.js');
  await writeBuild(old ?? '', 'ba9876543210', 'assets/robot-1.js');
  const files = consoleFiles(shell, [house ?? '', old ?? '', join(shell ?? '', 'nowhere')])()?.files;
  assert.deepEqual([...(files?.keys() ?? [])].sort(), ['assets/mail-1.js', 'assets/main-1.js', 'index.html']);
  assert.equal(String(await files?.get('assets/mail-1.js')?.read(undefined)), script);
});

test('a setting switches the console off', async (t) => {
  const server = await runConsole(t, { enabled: false });
  assert.equal((await server.send('GET', '/console/')).status, 404);
  assert.equal((await server.send('GET', '/', browser)).status, 200);
  assert.match((await server.send('GET', '/setup', browser)).text, /Choose the name and the password/);
});

test('the one-time link leads to the console, which keeps what follows the #', async (t) => {
  const server = await runConsole(t);
  const { status, headers } = await server.send('GET', '/setup', browser);
  assert.deepEqual([status, headers.get('location')], [302, '/console/setup']);
});
