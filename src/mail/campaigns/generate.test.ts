import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { hasCode } from '../../engine/ground/errors.ts';
import { sharedPostgres } from '../../engine/testing/servers/shared.ts';
import { mailQueries } from '../database/tables.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { failCampaign } from './fail-campaign.ts';
import { generate } from './generate.ts';

const postgres = await sharedPostgres();
after(() => postgres.close());

async function onPostgres() {
  const url = await postgres.createDatabase();
  return { broker: url, coordination: url, database: url, blobs: url };
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => JSON.stringify({ email: `p${from + index}@example.org` }));

/** A started campaign of 4,000 people in two files, which share half of them; nobody generates it but the test. */
async function startCampaign(t: TestContext, settings: Record<string, unknown>) {
  const house = await runMailHouse(t, { senders: false, settings });
  const { call, engine, server, admin } = house;
  const audience: string[] = [];
  for (const people of [lines(0, 3000), lines(1000, 4000)]) {
    const body = new TextEncoder().encode(people.join('\n'));
    const { body: blob } = await server.send('POST', '/api/v1/blobs', { ...admin, body });
    audience.push(`ndjson:${blob.hash}`);
  }
  await call('campaign.create', { name: 'all', type: 'order', audience });
  await call('campaign.start', { campaign: 'all' });
  const { id } = await call('campaign.show', { campaign: 'all' });
  const recipients = async () => {
    const rows = await mailQueries(engine)
      .selectFrom('mail_mail')
      .select('recipient')
      .where('campaign', '=', id)
      .execute();
    return rows.map(({ recipient }) => recipient);
  };
  const counts = async () => {
    const { read, generated, repeated } = await call('campaign.show', { campaign: 'all' });
    return { read, generated, repeated };
  };
  return { engine, call, id, recipients, counts };
}

for (const { name, open } of [
  { name: 'SQLite', open: async () => ({}) },
  { name: 'PostgreSQL', open: onPostgres },
]) {
  test(`${name}: generation that was stopped goes on without anybody twice or left out`, async (t) => {
    const { engine, id, recipients, counts } = await startCampaign(t, await open());
    let rounds = 0;
    // Stops after the first transaction each time.
    while ((await generate(engine, id, AbortSignal.abort())) === 'stopped') rounds++;
    assert.ok(rounds >= 4, `${rounds} rounds`);
    assert.deepEqual(await counts(), { read: 6000, generated: 4000, repeated: 2000 });
    assert.equal(new Set(await recipients()).size, 4000);
    assert.equal((await recipients()).length, 4000);
  });

  test(`${name}: of two processes that generate the same campaign, one gives way; nobody gets two mails`, async (t) => {
    const { engine, id, recipients, counts } = await startCampaign(t, await open());
    const { signal } = new AbortController();
    const runs = await Promise.allSettled([generate(engine, id, signal), generate(engine, id, signal)]);
    const losers = runs.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.equal(losers.length, 1);
    assert.ok(hasCode(losers[0]?.reason, 'hold-lost'), `${losers[0]?.reason}`);
    assert.deepEqual(await counts(), { read: 6000, generated: 4000, repeated: 2000 });
    assert.equal(new Set(await recipients()).size, 4000);
    assert.equal((await recipients()).length, 4000);
  });

  test(`${name}: a campaign stops with the reason, whatever its file contains; one that was cancelled stays so`, async (t) => {
    const { engine, call, id } = await startCampaign(t, await open());
    const campaign = { id, name: 'all', owner: 'root' };
    await failCampaign(engine, campaign, 'line 7 is not JSON: \0');
    const { state, problem } = await call('campaign.show', { campaign: id });
    assert.deepEqual([state, problem.trim()], ['failed', 'line 7 is not JSON:']);
    await call('campaign.cancel', { campaign: id });
    await failCampaign(engine, campaign, 'line 8 is not JSON');
    assert.equal((await call('campaign.show', { campaign: id })).state, 'cancelled');
  });
}
