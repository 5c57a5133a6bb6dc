import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { mailQueries } from '../database/tables.ts';
import { runMailHouse } from '../testing/running-mail.ts';

test('the online version is what was sent, also after the template changed; strangers can’t guess its address', async (t) => {
  const { engine, server, call, received, reaches } = await runMailHouse(t);
  const { id } = await call('mail.send', {
    type: 'order',
    to: 'anna@example.org',
    data: { name: '<b>Žofie</b>', number: 7 },
  });
  await reaches(id, 'sent');
  await call('mailtype.update', { code: 'order', template: '<p>changed</p>' });
  const sent = (await PostalMime.parse(received[0]?.content ?? '')).html?.trim() ?? '';
  const address = new URL(/href="([^"]+)"/.exec(sent)?.[1] ?? '');
  const shown = await server.send('GET', address.pathname);
  assert.deepEqual([shown.status, shown.text], [200, sent]);
  assert.match(
    shown.headers.get('content-security-policy') ?? '',
    /default-src 'none'.* img-src [^;]*https:/,
  );
  assert.equal((await server.send('HEAD', address.pathname)).status, 200);
  const token = address.pathname.slice('/m/'.length);
  const other = `${token[0] === 'A' ? 'B' : 'A'}${token.slice(1)}`;
  const forged = [other, Buffer.from(`0123456789abcdef${id}`).toString('base64url'), 'x'];
  const answers = await Promise.all(forged.map((one) => server.send('GET', `/m/${one}`)));
  for (const { status, text } of answers) assert.deepEqual([status, text], [404, answers[0]?.text]);
  assert.match(answers[0]?.text ?? '', /^<!doctype html>.*does not exist, or no longer/);
  // One that is too old to be kept looks the same.
  await mailQueries(engine).deleteFrom('mail_mail').execute();
  assert.deepEqual((await server.send('GET', address.pathname)).text, answers[0]?.text);
});

test('one click unsubscribes by POST; a GET, as link checkers send it, never does', async (t) => {
  const { server, call, received, reaches } = await runMailHouse(t);
  await call('mailtype.create', {
    code: 'news',
    sender: 'shop@example.org',
    subject: 'x',
    template: 'x',
    class: 'bulk',
    bcc: ['copy@example.org'],
    translations: { cs: { x: 'y' } },
  });
  // What an update does not name stays: the class too, without which nobody could unsubscribe.
  const before = await call('mailtype.show', { code: 'news' });
  const after = await call('mailtype.update', { code: 'news', subject: 'y' });
  assert.deepEqual(after, { ...before, subject: 'y', version: 2 });
  const { id } = await call('mail.send', { type: 'news', to: 'Anna@example.org' });
  await reaches(id, 'sent');
  const { headers } = await PostalMime.parse(received[0]?.content ?? '');
  const link = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  const { pathname } = new URL(link.slice(1, -1));
  const asked = await server.send('GET', pathname);
  assert.match(asked.text, /<form method="post">/);
  assert.equal((await server.send('HEAD', pathname)).status, 200);
  assert.deepEqual((await call('suppression.ls', {})).addresses, []);
  const form = {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  };
  assert.equal((await server.send('POST', pathname, form)).status, 200);
  assert.equal((await server.send('POST', pathname, form)).status, 200);
  const { addresses } = await call('suppression.ls', {});
  assert.deepEqual(
    [addresses.length, addresses[0].address, addresses[0].class],
    [1, 'anna@example.org', 'bulk'],
  );
  const { id: next } = await call('mail.send', { type: 'news', to: 'anna@example.org' });
  await reaches(next, 'suppressed');
  const { id: order } = await call('mail.send', { type: 'order', to: 'anna@example.org' });
  await reaches(order, 'sent');
  assert.equal((await server.send('POST', pathname, { body: 'x'.repeat(20_000) })).status, 413);
  assert.equal((await server.send('POST', '/m/x/unsubscribe', form)).status, 404);
});

test('what users and strangers write runs on no page of the server', async (t) => {
  const { server, call } = await runMailHouse(t, { senders: false });
  const script = '"><script>alert(1)</script><img src=x onerror=alert(1)>';
  const { id } = await call('mail.send', {
    type: 'order',
    to: 'a@example.org',
    subject: script,
    data: { name: script, number: [script, { [script]: script }] },
  });
  const { onlineUrl } = await call('mail.show', { mail: id });
  const { pathname } = new URL(onlineUrl);
  const query = `?x=${encodeURIComponent(script)}`;
  const paths = [
    '/',
    '/docs',
    '/setup',
    '/robot',
    pathname,
    `${pathname}/unsubscribe`,
    '/m/%3Cscript%3Ealert(1)',
  ];
  for (const path of paths) {
    const { text, headers } = await server.send('GET', path + query);
    const policy = headers.get('content-security-policy') ?? '';
    assert.doesNotMatch(text, /<script>alert|<img src=x/, path);
    assert.match(policy, /default-src 'none'/, path);
    assert.doesNotMatch(policy, /script-src[^;]*'unsafe-inline'|default-src[^;]*unsafe/, path);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path);
  }
  // Errors repeat input, but as JSON.
  const { headers } = await server.send('GET', `/api/v1/${encodeURIComponent(script)}`);
  assert.match(headers.get('content-type') ?? '', /^application\/json/);
});
