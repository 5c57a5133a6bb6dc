import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { runMailHouse } from '../testing/running-mail.ts';

const module = `let calls = 0;
export default async ({ to, data }) => {
  if (data.name === 'crash') process.exit(3);
  if (data.name === 'nothing') return { toJSON() {} };
  if (data.name === 'throw') throw new Error('no such customer');
  return { ...data, points: data.name.length, call: ++calls, address: to.address };
};
`;

test('a module completes the data in a process of its own: the online version shows the same; what it breaks is one mail', async (t) => {
  const path = join(await temporaryDirectory(t), 'points.mjs');
  await writeFile(path, module);
  const house = await runMailHouse(t, { mail: { prepare: { points: path } }, misbehave: ['450@rcpt=late@'] });
  const { call, received, reaches, server, sink } = house;
  const type = {
    code: 'points',
    sender: 'a@example.org',
    subject: '{{ name }}',
    prepare: 'points',
    template: '<p>{{ name }} has {{ points }} points, {{ address }}, call {{ call }}</p>',
  };
  await assert.rejects(
    call('mailtype.create', { ...type, prepare: 'pionts' }),
    /no module pionts .* known: points/,
  );
  await call('mailtype.create', type);
  // Nobody but the module says what it made.
  const fields = { 'pismak:prepared': { name: 'Anna', points: 1_000_000 } };
  const send = async (to: string, name: string) =>
    (await call('mail.send', { type: 'points', to, data: { name }, fields })).id as string;
  const fine = await send('anna@example.org', 'Anna');
  const late = await send('late@example.org', 'Late');
  const crash = await send('crash@example.org', 'crash');
  const wrong = await send('wrong@example.org', 'throw');
  const nothing = await send('nothing@example.org', 'nothing');
  await reaches(fine, 'sent');
  await reaches(nothing, 'failed');
  assert.match(
    (await call('mail.show', { mail: nothing })).answer,
    /^prepare points: it must answer with an object$/,
  );
  await reaches(crash, 'failed');
  await reaches(wrong, 'failed');
  assert.match((await call('mail.show', { mail: wrong })).answer, /^prepare points: no such customer$/);
  assert.match((await call('mail.show', { mail: crash })).answer, /^prepare points: .*exit code 3/);
  const text = received[0]?.content.toString().replaceAll('=\r\n', '').replaceAll('=20', ' ') ?? '';
  const [said] = /Anna has 4 points, anna@example\.org, call \d+/.exec(text) ?? [];
  assert.ok(said, text);
  const online = await fetch(
    new URL(new URL((await call('mail.show', { mail: fine })).onlineUrl).pathname, server.localUrl),
  );
  assert.match(await online.text(), new RegExp(said));

  // A second attempt sends what the first one would have sent.
  await reaches(late, 'deferred');
  const stored = (await call('mail.show', { mail: late })).fields['pismak:prepared'];
  assert.equal(stored.points, 4);
  sink.misbehave([]);
  await reaches(late, 'sent');
  assert.deepEqual((await call('mail.show', { mail: late })).fields['pismak:prepared'], stored);
});
