import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { eventually } from '../../engine/testing/eventually.ts';
import { runMailHouse } from '../testing/running-mail.ts';

test('people get the variants by their shares, and each variant says what became of it: sent, failed, unsubscribed', async (t) => {
  const { server, call, anna, received } = await runMailHouse(t, { misbehave: ['554@rcpt=p7@'] });
  for (const code of ['news', 'news-b'])
    await call('mailtype.create', {
      code,
      sender: 'shop@example.org',
      subject: code,
      template: '<p>{{ name }}</p>',
      class: 'bulk',
    });
  const people = Array.from({ length: 200 }, (_, index) => `p${index}@example.org,P${index}`).join('\n');
  const uploaded = await server.send('POST', '/api/v1/blobs', {
    ...anna,
    body: new TextEncoder().encode(`email,name\n${people}\n`),
  });
  const audience = [`csv:${uploaded.body.hash}`];
  const variants = ['news=3', 'news-b=1'];
  await call('campaign.create', { name: 'spring', type: 'news', audience, variants }, anna);
  await call('campaign.start', { campaign: 'spring' }, anna);
  const show = () => call('campaign.show', { campaign: 'spring' }, anna);
  await eventually('it is done', async () => (await show()).state === 'done');
  const [mail] = received.filter(({ content }) => content.includes('Subject: news-b'));
  const { headers } = await PostalMime.parse(mail?.content ?? '');
  const link = headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  for (let click = 0; click < 2; click++)
    await server.send('POST', new URL(link.slice(1, -1)).pathname, {
      ...form,
      body: 'List-Unsubscribe=One-Click',
    });
  const { unsubscribed, complained, variants: results } = await show();
  assert.deepEqual([unsubscribed, complained, results['news-b'].unsubscribed], [1, 0, 1]);
  assert.equal(results.news.unsubscribed, undefined);
  const sum = ({ sent = 0, failed = 0 }) => sent + failed;
  assert.equal(sum(results.news) + sum(results['news-b']), 200);
  assert.equal((results.news.failed ?? 0) + (results['news-b'].failed ?? 0), 1);
  const share = sum(results['news-b']) / 200;
  assert.ok(share > 0.12 && share < 0.4, `a quarter, not ${share}`);
});
