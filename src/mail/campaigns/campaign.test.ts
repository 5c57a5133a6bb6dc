import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Change } from '../../engine/event/change-log.ts';
import { stateOf } from '../../engine/house.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { mailQueries } from '../database/tables.ts';
import { OpenMail } from '../opened/open-mail.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { readCsvPeople } from './read-csv-people.ts';

type House = Awaited<ReturnType<typeof runMailHouse>>;

async function upload({ server, anna }: House, text: string): Promise<string> {
  const {
    status,
    body,
    text: said,
  } = await server.send('POST', '/api/v1/blobs', { ...anna, body: new TextEncoder().encode(text) });
  assert.equal(status, 200, said);
  return body.hash;
}

const csv = (count: number, from = 0) =>
  `email,name\n${Array.from({ length: count }, (_, index) => `p${from + index}@example.org,"Žofie, ${from + index}"`).join('\n')}\n`;

async function create(house: House, name: string, ...texts: string[]) {
  await house
    .call('mailtype.create', {
      code: 'news',
      sender: 'shop@example.org',
      subject: 'News for {{ name }}',
      template: '<p>{{ name }}</p>',
      class: 'bulk',
    })
    .catch(() => {});
  const audience = await Promise.all(
    texts.map(async (text) => `${text.startsWith('{') ? 'ndjson' : 'csv'}:${await upload(house, text)}`),
  );
  await house.call('campaign.create', { name, type: 'news', audience }, house.anna);
}

const show = (house: House, campaign: string) => house.call('campaign.show', { campaign }, house.anna);
const ends = (house: House, campaign: string) =>
  eventually(`${campaign} is done`, async () => (await show(house, campaign)).state === 'done');

test('everybody in several sources gets one mail; wrong addresses are counted, the unsubscribed and failed known by name', async (t) => {
  const house = await runMailHouse(t, { misbehave: ['554@rcpt=p7@'] });
  await house.call('suppression.add', { address: 'p8@example.org', class: 'bulk' });
  const other = `${JSON.stringify({ email: 'P1@example.org' })}\n${JSON.stringify({ email: 'q@example.org', name: 'Q' })}\n`;
  await create(house, 'spring', `${csv(60)}not an address,x\nP2@example.org,Again\n`, other);
  assert.equal((await show(house, 'spring')).state, 'ready');
  assert.equal(house.received.length, 0);
  await house.call('campaign.start', { campaign: 'spring' }, house.anna);
  await ends(house, 'spring');
  const shown = await show(house, 'spring');
  assert.deepEqual([shown.read, shown.generated, shown.repeated, shown.refused], [64, 61, 2, 1]);
  assert.deepEqual(shown.mails, { sent: 59, failed: 1, suppressed: 1 });
  assert.deepEqual([shown.mayBeTwice, shown.unknown], [0, 0]);
  const recipients = house.received.map(({ to }) => to[0]);
  assert.equal(new Set(recipients).size, 59);
  assert.equal(recipients.length, 59);
  assert.ok(!house.received.some(({ content }) => content.includes('Again')), 'the first of two rows counts');
  for (const { content } of house.received)
    assert.match(content.toString('latin1'), /^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);

  // Only the failed one is sent again.
  const { mails } = await house.call('mail.ls', { campaign: 'spring', state: 'failed' }, house.anna);
  const bert = await house.server.signUp('bert', 'user');
  for (const campaign of ['spring', shown.id, 'sprin'])
    assert.equal((await house.server.call('mail.ls', { campaign }, bert)).status, 404, campaign);
  assert.deepEqual(
    mails.map(({ to }: { to: string }) => to),
    ['p7@example.org'],
  );
  house.sink.misbehave([]);
  assert.deepEqual(await house.call('campaign.retry', { campaign: 'spring' }, house.anna), { mails: 1 });
  await ends(house, 'spring');
  assert.deepEqual((await show(house, 'spring')).mails, { sent: 60, suppressed: 1 });
  assert.equal(house.received.length, 60);
});

test('a campaign tells its owner a few times how far it has come, and that it is done', async (t) => {
  const house = await runMailHouse(t, { misbehave: ['wait5@data'] });
  const { engine } = house.server;
  const told: Change[] = [];
  engine.changes.subscribe((change) => {
    if (change.kind === 'campaign') told.push(change);
  });
  await create(house, 'told', csv(400));
  const { id } = await show(house, 'told');
  await house.call('campaign.start', { campaign: 'told' }, house.anna);
  const progress = async () =>
    (await stateOf(engine, OpenMail).progress.get()).find(({ entity }) => entity === id);
  await eventually('its mails are made', async () => (await progress())?.total === 400);
  assert.ok((await progress())?.done !== undefined);
  house.sink.misbehave([]);
  await ends(house, 'told');
  const { length } = told;
  await eventually('its end is told', () => told.length > length || told.length > 3);
  assert.ok(told.length < 100, `${told.length} changes for 400 mails`);
  for (const { entity, owner } of told) assert.deepEqual([entity, owner], [id, 'anna']);
  await eventually('it is under way no more', async () => (await progress()) === undefined);
});

test('a pause stops a campaign, also what waits in the queue; it goes on without anybody twice', async (t) => {
  const house = await runMailHouse(t, { misbehave: ['wait5@data'] });
  await create(house, 'slow', csv(600));
  await house.call('campaign.start', { campaign: 'slow' }, house.anna);
  await eventually('some have left', () => house.received.length > 20);
  await house.call('campaign.pause', { campaign: 'slow' }, house.anna);
  await eventually('nothing is under way', async () => {
    const { mails } = await show(house, 'slow');
    return (mails.sending ?? 0) === 0;
  });
  const { mails } = await show(house, 'slow');
  assert.ok(mails.waiting > 0 && mails.sent < 600, JSON.stringify(mails));
  house.sink.misbehave([]);
  const left = house.received.length;
  // Mails leave: those of another campaign.
  await create(house, 'other', csv(30, 1000));
  await house.call('campaign.start', { campaign: 'other' }, house.anna);
  await ends(house, 'other');
  assert.equal(house.received.length, left + 30, 'none of the paused one has left meanwhile');
  await house.call('campaign.resume', { campaign: 'slow' }, house.anna);
  await ends(house, 'slow');
  assert.deepEqual((await show(house, 'slow')).mails, { sent: 600 });
  assert.equal(house.received.length, 630);
  assert.equal(new Set(house.received.map(({ to }) => to[0])).size, 630);
});

test('mails beyond the pace of a provider make way for others and come later, each once', async (t) => {
  const providers = { slow: { domains: ['slow.org'], perSecond: 40 } };
  const house = await runMailHouse(t, { mail: { providers } });
  const people = (domain: string, count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}@${domain},x\n`).join('');
  // The slow ones stand in front.
  await create(house, 'paced', `email,name\n${people('slow.org', 150)}${people('fast.org', 150)}`);
  await house.call('campaign.start', { campaign: 'paced' }, house.anna);
  const count = (domain: string) => house.received.filter(({ to }) => to[0]?.endsWith(domain)).length;
  await eventually('the fast ones have left', () => count('fast.org') === 150);
  assert.ok(count('slow.org') < 150, `${count('slow.org')} slow ones had left`);
  await ends(house, 'paced');
  const { mails, mayBeTwice } = await show(house, 'paced');
  assert.deepEqual([mails, mayBeTwice, house.received.length], [{ sent: 300 }, 0, 300]);
});

test('mails generated only leave when the campaign is released; a cancelled one sends nothing more', async (t) => {
  const house = await runMailHouse(t);
  await create(house, 'later', csv(30));
  await house.call('campaign.start', { campaign: 'later', generateOnly: true }, house.anna);
  await eventually('all are generated', async () => (await show(house, 'later')).state === 'held');
  assert.deepEqual((await show(house, 'later')).mails, { waiting: 30 });
  assert.equal(house.received.length, 0);
  const at = Date.now() + 500;
  await house.call('campaign.start', { campaign: 'later', at }, house.anna);
  assert.equal((await show(house, 'later')).state, 'held');
  await ends(house, 'later');
  assert.equal(house.received.length, 30);
  assert.ok(Date.now() >= at);
  await create(house, 'never', csv(30, 100));
  await house.call('campaign.start', { campaign: 'never', generateOnly: true }, house.anna);
  await eventually('all are generated', async () => (await show(house, 'never')).state === 'held');
  assert.deepEqual(await house.call('campaign.cancel', { campaign: 'never' }, house.anna), {
    cancelled: 30,
  });
  assert.equal(house.received.length, 30);
});

test('a generate-only campaign that was paused on the way still waits for its release', async (t) => {
  const house = await runMailHouse(t);
  await create(house, 'later', csv(30));
  await house.call('campaign.start', { campaign: 'later', generateOnly: true }, house.anna);
  await eventually('all are made', async () => (await show(house, 'later')).state === 'held');
  // As if the pause had come just before its last mail was made.
  await mailQueries(house.engine).updateTable('mail_campaign').set({ state: 'paused' }).execute();
  await house.call('campaign.resume', { campaign: 'later' }, house.anna);
  await eventually('it is held again', async () => (await show(house, 'later')).state === 'held');
  assert.deepEqual([(await show(house, 'later')).mails, house.received.length], [{ waiting: 30 }, 0]);
});

test('mails that waited for the release of their campaign longer than they may live are sent all the same', async (t) => {
  const house = await runMailHouse(t);
  await create(house, 'later', csv(30));
  await house.call('campaign.start', { campaign: 'later', generateOnly: true }, house.anna);
  await eventually('all are generated', async () => (await show(house, 'later')).state === 'held');
  const week = 7 * 86_400_000;
  await mailQueries(house.engine)
    .updateTable('mail_mail')
    .set(({ eb }) => ({ createdAt: eb('createdAt', '-', week), notAfter: eb('notAfter', '-', week) }))
    .execute();
  await house.call('campaign.start', { campaign: 'later' }, house.anna);
  await ends(house, 'later');
  assert.deepEqual((await show(house, 'later')).mails, { sent: 30 });
});

test('a relay that keeps mails until their date gets those of a campaign at once, if the class says so', async (t) => {
  const house = await runMailHouse(t, {
    mail: { classes: { bulk: { holdAtRelay: true } } },
    offers: ['PIPELINING', 'FUTURERELEASE 86400 2099-01-01T00:00:00Z'],
  });
  await create(house, 'kept', csv(30));
  const at = Math.ceil(Date.now() / 1000) * 1000 + 3_600_000;
  await house.call('campaign.start', { campaign: 'kept', at }, house.anna);
  await ends(house, 'kept');
  const wanted = `HOLDUNTIL=${new Date(at).toISOString().replace('.000', '')}`;
  assert.equal(house.received.filter(({ parameters }) => parameters?.endsWith(wanted)).length, 30);
});

test('a dry run tells what would be sent and to whom it can’t be, without sending; a test mail shows real data', async (t) => {
  const house = await runMailHouse(t, { mail: { classes: { bulk: { hours: [closedNow()] } } } });
  await house.call('suppression.add', { address: 'p2@example.org', class: 'bulk' });
  await create(house, 'try', `${csv(5)}P1@example.org,again\nnobody,x\n`);
  const { problems, meanBytes, largestBytes, ...counts } = await house.call(
    'campaign.try',
    { campaign: 'try' },
    house.anna,
  );
  assert.deepEqual(counts, {
    read: 7,
    isComplete: true,
    mails: 4,
    types: { news: 4 },
    repeated: 1,
    refused: 1,
    suppressed: 1,
    failed: 0,
  });
  assert.deepEqual(problems, [{ row: 7, email: 'nobody', reason: 'no valid address, or too much data' }]);
  assert.ok(meanBytes > 300 && largestBytes >= meanBytes, String(meanBytes));
  const some = await house.call('campaign.try', { campaign: 'try', limit: 3 }, house.anna);
  assert.deepEqual([some.read, some.isComplete], [3, false]);
  assert.equal((await show(house, 'try')).state, 'ready');

  // Outside the sending hours of its class nothing leaves, and the status says when it will.
  const to = ['me@example.org', 'you@example.org'];
  const { mails } = await house.call('campaign.test', { campaign: 'try', to }, house.anna);
  assert.equal(mails.length, 2);
  assert.equal(await house.state(mails[0]), 'waiting');
  const { opensAt } = await show(house, 'try');
  assert.ok(opensAt > Date.now() && opensAt < Date.now() + 86_400_000, String(opensAt));
  const { fields, campaign } = await house.call('mail.show', { mail: mails[1] }, house.anna);
  assert.deepEqual([fields.to.address, fields.data, campaign], ['you@example.org', { name: 'Žofie, 0' }, '']);
});

/** An hour that is twelve hours away. */
function closedNow(): string {
  const hour = (new Date().getHours() + 12) % 23;
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(hour)}:00-${two(hour + 1)}:00`;
}

test('a campaign uses the design that it names; one that its type lacks is refused', async (t) => {
  const house = await runMailHouse(t);
  await house.call('mailtype.update', {
    code: 'order',
    template: '<p>{{ design.shop }} {{ name }}</p>',
    designs: { '': { shop: 'Shop' }, 'shop.sk': { shop: 'Obchod' } },
  });
  const audience = [`csv:${await upload(house, csv(1))}`];
  const campaign = { name: 'sk', type: 'order', audience };
  await assert.rejects(
    house.call('campaign.create', { ...campaign, design: 'shop.de' }, house.anna),
    /mail type order has no design shop.de; it has shop.sk/,
  );
  await house.call('campaign.create', { ...campaign, design: 'shop.sk' }, house.anna);
  await house.call('campaign.start', { campaign: 'sk' }, house.anna);
  await ends(house, 'sk');
  assert.match(String(house.received[0]?.content), /<p>Obchod/);
});

test('mails of a campaign count against the limit of its owner, and an administrator has none', async (t) => {
  const house = await runMailHouse(t, { mail: { mailsPerMonth: 5 } });
  await create(house, 'many', csv(6));
  await house.call('campaign.start', { campaign: 'many' }, house.anna);
  await eventually('it has stopped', async () => (await show(house, 'many')).state === 'failed');
  assert.match((await show(house, 'many')).problem, /limit of 5 mails per month/);
  assert.equal(house.received.length, 0);
  for (let number = 0; number < 5; number++)
    await house.call('mail.send', { type: 'order', to: 'a@example.org' }, house.anna);
  await assert.rejects(
    house.call('mail.send', { type: 'order', to: 'a@example.org' }, house.anna),
    /quota-exceeded/,
  );
  await house.call('mail.send', { type: 'order', to: 'a@example.org' });
});

test('an audience without addresses is refused; one that is no CSV or JSON stops the campaign with the reason', async (t) => {
  const house = await runMailHouse(t);
  await assert.rejects(create(house, 'a', 'name,mail\nx,y\n'), /has no column email; it has name, mail/);
  await assert.rejects(create(house, 'a', '<mjml></mjml>\n'), /has no column email; it has <mjml>/);
  for (const nobody of ['', 'email,name\n'])
    await assert.rejects(create(house, 'a', nobody), /has no people/);
  const open = 'email,name\na@example.org,x\n"b@example.org,y\nc@example.org,z\n';
  await create(house, 'c', open);
  await house.call('campaign.start', { campaign: 'c' }, house.anna);
  await eventually('it has stopped too', async () => (await show(house, 'c')).state === 'failed');
  assert.equal((await show(house, 'c')).problem, 'a quote in the CSV file is never closed');
  await create(house, 'b', `${JSON.stringify({ email: 'a@example.org' })}\nnonsense\n`);
  await house.call('campaign.start', { campaign: 'b' }, house.anna);
  await eventually('it has stopped', async () => (await show(house, 'b')).state === 'failed');
  assert.match((await show(house, 'b')).problem, /line 2 of the audience is not JSON/);
});

test('a campaign begins when the one before has ended, and fails with it: nobody waits for ever', async (t) => {
  const house = await runMailHouse(t);
  await create(house, 'first', csv(3));
  const audience = [`csv:${await upload(house, csv(3, 10))}`];
  const follow = (name: string, after: string) =>
    house.call('campaign.create', { name, type: 'news', audience, after }, house.anna);
  await follow('second', 'first');
  const stranger = await house.server.signUp('bert', 'user');
  const { id } = await show(house, 'first');
  const spying = { name: 'spy', type: 'news', audience, after: id };
  await assert.rejects(house.call('campaign.create', spying, stranger), /there is no campaign/);
  await house.call('campaign.start', { campaign: 'second' }, house.anna);
  await house.call('campaign.start', { campaign: 'first' }, house.anna);
  await ends(house, 'second');
  const order = house.received.map(({ to }) => Number(/\d+/.exec(to[0] ?? '')?.[0]) < 10);
  assert.deepEqual(order, [true, true, true, false, false, false]);

  await create(house, 'third', csv(3, 20));
  await follow('fourth', 'third');
  await house.call('campaign.start', { campaign: 'fourth' }, house.anna);
  await house.call('campaign.cancel', { campaign: 'third' }, house.anna);
  await eventually('it has failed', async () => (await show(house, 'fourth')).state === 'failed');
  assert.equal((await show(house, 'fourth')).problem, 'campaign third, which it follows, was cancelled');
});

test('status tells why a campaign waits for its audience', async (t) => {
  const file = join(await temporaryDirectory(t), 'shop.db');
  const shop = new DatabaseSync(file);
  shop.exec(`CREATE TABLE person (email TEXT); INSERT INTO person VALUES ('a@example.org')`);
  shop.close();
  const audiences = { shop: { url: `sqlite:${file}`, query: 'SELECT email FROM person' } };
  const { call } = await runMailHouse(t, { mail: { audiences } });
  await call('campaign.create', { name: 'a', type: 'order', audience: ['query:shop'] });
  await rename(file, `${file}.away`);
  await call('campaign.start', { campaign: 'a' });
  const problem = async () => (await call('campaign.show', { campaign: 'a' })).problem;
  await eventually('it says so', async () => (await problem()) !== '');
  assert.match(
    await problem(),
    /^it will be tried again: the audience at .*shop\.db can't be read: there is no such file/,
  );
  await rename(`${file}.away`, file);
  await eventually(
    'it is done',
    async () => (await call('campaign.show', { campaign: 'a' })).state === 'done',
  );
  assert.equal(await problem(), '');
});

test('the first person may lack an address; a second column of addresses, and records that never end, are refused', async (t) => {
  const house = await runMailHouse(t, { senders: false });
  await create(
    house,
    'a',
    `${JSON.stringify({ email: null })}\n${JSON.stringify({ email: 'a@example.org' })}\n`,
  );
  const { refused, mails } = await house.call('campaign.try', { campaign: 'a' }, house.anna);
  assert.deepEqual([refused, mails], [1, 1]);
  await assert.rejects(
    create(house, 'c', 'email,name,E-mail\na@example.org,x,b@example.org\n'),
    /two columns email/,
  );
  await assert.rejects(create(house, 'd', 'x'.repeat(3_000_000)), /record of the CSV file is too long/);
  await assert.rejects(
    create(house, 'e', `{"email": "${'x'.repeat(3_000_000)}`),
    /line 1 of the audience is too long/,
  );
});

test('CSV: quotes, line breaks in fields, semicolons, CRLF, a byte order mark, chunks cut anywhere', async () => {
  const text = '\ufeffE-mail;note\r\na@x.org;"one;\r\n""two"""\r\n\r\nb@x.org;\r\n"c@x.org";last';
  const expected = [
    { email: 'a@x.org', note: 'one;\r\n"two"' },
    { email: 'b@x.org', note: '' },
    { email: 'c@x.org', note: 'last' },
  ];
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = (async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })();
    const rows = [];
    for await (const some of readCsvPeople(chunks)) rows.push(...some);
    assert.deepEqual(rows, expected, `chunks of ${size}`);
  }
});
