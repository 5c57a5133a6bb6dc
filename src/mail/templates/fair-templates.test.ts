import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../engine/time/clock.ts';
import { mailType } from '../model/mail-type.ts';
import { FairTemplates } from './fair-templates.ts';

const nested =
  '{% for a in (1..1000) %}{% for b in (1..1000) %}{% for c in (1..1000) %}{% endfor %}{% endfor %}{% endfor %}';

async function templateOf(t: { after(close: () => void): void }, given: object) {
  const fair = new FairTemplates(systemClock);
  t.after(() => fair.close());
  const type = mailType.parse({
    code: 'order',
    sender: 'shop@example.org',
    subject: 'Order {{ number }}',
    template: '{% for item in items %}<p>{{ item }}</p>{% endfor %}',
    text: '{% for item in items %}{{ item }}{% endfor %}',
    ...given,
  });
  const laidOut = { html: type.template, text: '' };
  return fair.template({ ...type, laidOut, version: 1 }, 'en');
}

test('a user’s endless subject costs the main thread nothing and fails, while others get their mails', async (t) => {
  const template = await templateOf(t, {});
  const data = { number: 7, items: ['a', 'b'] };
  const mallory = { owner: 'mallory', bytes: 100 };
  const anna = { owner: 'anna', bytes: 100 };
  // The threads are loaded.
  for (const user of [mallory, anna]) await template.encode(data, '{{ number }}', user);
  const before = process.threadCpuUsage();
  let isOver = false;
  const worst = Promise.resolve(template.encode(data, nested, mallory)).finally(() => {
    isOver = true;
  });
  const refused = assert.rejects(worst, /template order.*(limit|longer than)/);
  const other = await template.encode(data, 'Order {{ number }} of anna', anna);
  assert.equal(other.subject, 'Order 7 of anna');
  assert.match(other.html.toString(), /<p>a<\/p><p>b<\/p>/);
  assert.equal(isOver, false);
  await refused;
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
});

test('loops over much data leave the main thread after a moment, and give the same mail', async (t) => {
  const loops =
    '{% for a in items %}{% for b in items %}{% if a == b %}{{ a }},{% endif %}{% endfor %}{% endfor %}';
  const template = await templateOf(t, { template: loops, text: 'x' });
  const items = Array.from({ length: 300 }, (_, n) => n);
  const before = process.threadCpuUsage();
  const made = template.render({ items }, undefined, { owner: 'mallory', bytes: 2000 });
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(made instanceof Promise);
  assert.ok(user + system < 80_000, `${(user + system) / 1000} ms`);
  assert.equal((await made).html, items.map((n) => `${n},`).join(''));
  // The next one goes there at once; those of other users don't.
  const again = template.render({ items: [1] }, undefined, { owner: 'mallory', bytes: 10 });
  assert.ok(again instanceof Promise);
  assert.equal((await again).html, '1,');
  assert.ok(!(template.render({ items: [1] }, undefined, { owner: 'anna', bytes: 10 }) instanceof Promise));
});

test('a template with very many tags is compiled apart, and its mistakes have their line', async (t) => {
  const template = await templateOf(t, { template: '{{ number }}'.repeat(3000), text: 'x' });
  const { html } = await template.render({ number: 7 }, undefined, { owner: 'anna', bytes: 10 });
  assert.equal(html, '7'.repeat(3000));
  const wrong = await templateOf(t, { template: `${'{{ number }}'.repeat(3000)}\n{% if %}`, text: 'x' });
  await assert.rejects(
    async () => wrong.render({}, undefined, { owner: 'anna', bytes: 10 }),
    /template order, line 2/,
  );
});
