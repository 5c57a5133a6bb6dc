import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { eventually } from '../../engine/testing/eventually.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

test('a page allows exactly its own style and script to run', async (t) => {
  const server = await runServer(t);
  for (const path of ['/', '/docs', '/setup']) {
    const { text, headers } = await server.send('GET', path);
    const policy = headers.get('content-security-policy') ?? '';
    const blocks = [...text.matchAll(/<(style|script)[^>]*>(.*?)<\/\1>/gs)].map(([, kind, content = '']) => [
      kind,
      `'sha256-${createHash('sha256').update(content).digest('base64')}'`,
    ]);
    assert.ok(blocks.length > 0);
    for (const [kind, hash] of blocks) assert.ok(policy.includes(`${kind}-src ${hash}`), `${path} ${kind}`);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(text, / style=| on\w+=/);
  }
});

test('the form of the first administrator does what it says', async (t) => {
  const server = await runServer(t);
  const hash = new URL((await server.setupLink()) ?? '').hash;
  const fields = { name: 'anna', password: 'correct horse', again: 'something else' };
  const form = await openForm(server, hash, fields);
  assert.equal(form.addressBar, '/setup');
  assert.equal(await form.submit(), 'The two passwords differ.');
  Object.assign(fields, { password: 'short', again: 'short' });
  assert.match(await form.submit(), /a password has at least 10 characters/);
  Object.assign(fields, { password: 'correct horse', again: 'correct horse' });
  assert.match(await form.submit(), /Administrator anna is ready/);
  assert.equal((await server.call('session.login', { name: 'anna', password: 'correct horse' })).status, 200);
});

/** Runs the page's script with as much of a browser around it as it uses. */
async function openForm(server: RunningServer, hash: string, fields: Record<string, string>) {
  const { text } = await server.send('GET', '/setup');
  const script = /<script[^>]*>(.*?)<\/script>/s.exec(text)?.[1] ?? '';
  const status = { textContent: '' };
  const opened = { addressBar: `/setup${hash}`, submit: async () => '' };
  let submitted: (event: { preventDefault(): void }) => Promise<void> = async () => {};
  const form = {
    addEventListener: (_kind: string, listener: typeof submitted) => {
      submitted = listener;
    },
    replaceChildren() {},
  };
  runInNewContext(script, {
    addEventListener() {},
    location: { hash, pathname: '/setup' },
    history: {
      replaceState: (_state: null, _title: string, address: string) => {
        opened.addressBar = address;
      },
    },
    document: { getElementById: (id: string) => (id === 'claim' ? form : status) },
    FormData: class {
      *[Symbol.iterator]() {
        yield* Object.entries(fields);
      }
    },
    fetch: (path: string, options: RequestInit) => fetch(`${server.localUrl}${path}`, options),
  });
  opened.submit = async () => {
    status.textContent = '';
    await submitted({ preventDefault() {} });
    return eventually('the page says something', () => status.textContent);
  };
  return opened;
}
