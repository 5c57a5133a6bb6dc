import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { openPostgresDatabase } from '../../engine/database/postgres.ts';
import { openSqliteDatabase } from '../../engine/database/sqlite.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { sharedPostgres, sharedRabbit } from '../../engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { httpStore } from '../senders/mail-store.ts';
import { openMails } from '../senders/mails.ts';
import { openQueueSender } from '../senders/senders.ts';
import { openDatabaseStore, openStoredSender } from '../senders/stored-sender.ts';
import type { Misbehaviour } from '../sink/misbehaviour.ts';
import { runMailHouse } from '../testing/running-mail.ts';

const postgres = await sharedPostgres();
after(() => postgres.close());

const news = {
  code: 'news',
  sender: 'a@example.org',
  subject: '{{ name }}',
  template: '<p>{{ name }}</p>',
  class: 'bulk',
};

/** A campaign with everything that may happen to a mail, and whole mails from a program that knows only the broker's URL. */
async function useHouse(house: Awaited<ReturnType<typeof runMailHouse>>, broker: string): Promise<void> {
  const { call, engine, server, anna, admin, received, sink, rules } = house;
  sink.misbehave([...rules(['450@rcpt=p7@']), refusal]);
  await call('mailtype.create', news);
  const people = Array.from({ length: 100 }, (_, index) => `p${index}@example.org,Žofie ${index}\n`).join('');
  const { hash } = await putFor(engine, 'anna', Buffer.from(`email,name\n${people}P1@example.org,x\n`));
  await call('campaign.create', { name: 'all', type: 'news', audience: [`csv:${hash}`] }, anna);
  await call('campaign.start', { campaign: 'all' }, anna);
  const show = () => call('campaign.show', { campaign: 'all' }, anna);
  await eventually('p7 is put off', async () => (await show()).mails.deferred === 1);
  sink.misbehave([]);
  await eventually('it is done', async () => (await show()).state === 'done');
  const shown = await show();
  assert.deepEqual(
    [shown.generated, shown.repeated, shown.mails, shown.mayBeTwice],
    [100, 1, { sent: 99, failed: 1 }, 0],
  );
  assert.equal(new Set(received.map(({ to }) => to[0])).size, 99);
  assert.deepEqual(await call('campaign.retry', { campaign: 'all' }, anna), { mails: 1 });
  await eventually('the failed one was sent', async () => (await show()).mails.sent === 100);
  assert.equal(received.length, 100);

  const database = engine.settings.database;
  if (database.startsWith('postgres')) {
    // By id: stored and queued by a program that knows only the database's URL. Types come from there too.
    const stored = await openStoredSender({ url: database, owner: 'anna' });
    const types = await openDatabaseStore({ url: database });
    try {
      const mail = await openMails({ store: types }).create('order', { to: 'id@example.org', shop: 'Brno' });
      const { id } = await stored.send(mail);
      await house.reaches(id, 'sent');
      assert.equal((await call('mail.show', { mail: id })).fields.shop, 'Brno');
      await assert.rejects(stored.send({ type: 'ordr', to: 'id@example.org' }), /did you mean order/);
    } finally {
      await Promise.all([stored.close(), types.close()]);
    }
  }
  const store = httpStore({ url: server.localUrl, key: anna.key });
  const sender = await openQueueSender({ url: broker, store, owner: 'anna' });
  try {
    const { id } = await sender.send({ type: 'order', to: 'whole@example.org', data: { number: 7 } });
    await eventually(
      'it is recorded',
      async () => (await server.call('mail.show', { mail: id }, admin)).status === 200,
    );
    assert.equal((await call('mail.show', { mail: id })).state, 'sent');
  } finally {
    await sender.close();
  }
}

/** PostgreSQL takes neither a zero character nor, as here at the limit of 500, half an emoji. It must keep no other mail from being stored. */
const strange = `554 5.0.0 \0${'x'.repeat(488)}😀`;
const refusal: Misbehaviour = {
  step: 'rcpt',
  recipient: 'p8@',
  share: 1,
  misdeed: { kind: 'reply', line: strange },
};

test('on PostgreSQL: a campaign, and whole mails of another program', { timeout: 120_000 }, async (t) => {
  const url = await postgres.createDatabase();
  const settings = { broker: url, coordination: url, database: url, blobs: url };
  const shop = await postgres.createDatabase();
  const query = `SELECT 'c' || n || '@example.org' AS email, 'Žofie ' || n AS name FROM generate_series(1, 2500) n`;
  const file = join(await temporaryDirectory(t), 'shop.db');
  const embedded = await openSqliteDatabase({ file });
  await sql`CREATE TABLE person (email TEXT, name TEXT)`.execute(embedded.query);
  await sql`INSERT INTO person WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
    SELECT 's' || i || '@example.org', 'Žofie ' || i FROM n`.execute(embedded.query);
  const audiences = {
    late: { url: shop, query: `SELECT 'late@example.org' AS email FROM pg_advisory_xact_lock(7)` },
    customers: { url: shop, query },
    broken: { url: shop, query: 'DELETE FROM nothing' },
    readers: { url: `sqlite:${file}`, query: 'SELECT email, name FROM person;' },
    vandals: { url: `sqlite:${file}`, query: 'DELETE FROM person RETURNING email' },
  };
  const house = await runMailHouse(t, { settings, mail: { audiences } });
  const busyShop = await openPostgresDatabase({ url: shop });
  t.after(() => busyShop.close());
  await house.call('mailtype.create', { ...news, code: 'late' });
  await house.call('campaign.create', { name: 'late', type: 'late', audience: ['query:late'] });
  await busyShop.transaction(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(7)`.execute(transaction);
    await house.call('campaign.start', { campaign: 'late' });
    // Another user's campaign doesn't wait for a shop that is slow to answer.
    await useHouse(house, url);
  });
  house.received.length = 0;

  // The shop's own database, streamed; what would change it is refused.
  const { call, server, anna, received } = house;
  await call('campaign.create', { name: 'shop', type: 'news', audience: ['query:customers'] });
  await call('campaign.start', { campaign: 'shop' });
  await eventually(
    'it is done',
    async () => (await call('campaign.show', { campaign: 'shop' })).state === 'done',
  );
  assert.equal(new Set(received.map(({ to }) => to[0]).filter((to) => to?.startsWith('c'))).size, 2500);
  for (const name of ['broken', 'vandals']) {
    const refused = await server.call('campaign.create', {
      name,
      type: 'news',
      audience: [`query:${name}`],
    });
    assert.notEqual(refused.status, 200);
  }
  // So is a file of SQLite, while the shop goes on writing.
  await call('campaign.create', { name: 'embedded', type: 'news', audience: ['query:readers'] });
  await sql`INSERT INTO person VALUES ('s2101@example.org', 'Late')`.execute(embedded.query);
  const { read, mails } = await call('campaign.try', { campaign: 'embedded' });
  assert.deepEqual([read, mails], [2101, 2101]);
  await embedded.close();
  const stranger = await server.call(
    'campaign.create',
    { name: 'c', type: 'news', audience: ['query:customers'] },
    anna,
  );
  assert.equal(stranger.status, 403);
  // Nor does the end of the service wait for it.
  await call('campaign.create', { name: 'too late', type: 'late', audience: ['query:late'] });
  await busyShop.transaction(async (transaction) => {
    await sql`SELECT pg_advisory_xact_lock(7)`.execute(transaction);
    await call('campaign.start', { campaign: 'too late' });
    const waiting = sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
    await eventually('it waits', async () => (await waiting.execute(busyShop.query)).rows.length > 0);
    await house.close();
  });
});

test('on RabbitMQ: the same', { timeout: 120_000 }, async (t) => {
  const rabbit = await sharedRabbit();
  t.after(() => rabbit.close());
  const url = await postgres.createDatabase();
  const broker = (await rabbit.createHost()).url;
  const settings = { broker, coordination: url, database: url, blobs: url };
  await useHouse(await runMailHouse(t, { settings }), broker);
});
