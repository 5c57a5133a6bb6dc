import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../engine/ground/errors.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { openGate } from '../../engine/testing/servers/gate.ts';
import { startMariadb } from '../testing/mariadb.ts';
import { runMailHouse } from '../testing/running-mail.ts';
import { readTable } from './read-table.ts';

const shop = `
  CREATE DATABASE shop CHARACTER SET utf8mb4;
  USE shop;
  CREATE TABLE person (email VARCHAR(100), name VARCHAR(100), points BIGINT UNSIGNED, since DATETIME);
  INSERT INTO person SELECT CONCAT('m', seq, '@example.org'), CONCAT('Žofie ', seq), 18446744073709551615,
    '2026-11-16 10:00:00' FROM seq_1_to_20000;
  CREATE USER reader@'%' IDENTIFIED BY 'p@ss';
  GRANT ALL ON shop.* TO reader@'%';`;

test('an audience in MariaDB', { timeout: 180_000 }, async (t) => {
  const server = await startMariadb(t, shop);
  const query = 'SELECT email, name, points, since FROM person;';
  const at = (place: string, more = '') => `mysql://reader:p%40ss@${place}/shop${more}`;
  const url = at(`127.0.0.1:${server.port}`);
  const read = async (options: { url: string; query: string }) => {
    const people: Record<string, unknown>[] = [];
    for await (const person of readTable(options)) people.push(person);
    return people;
  };

  await t.test('is read as it is, over an encrypted connection whose server is checked', async () => {
    const checked = `?ssl-mode=VERIFY_IDENTITY&ssl-ca=${encodeURIComponent(server.authority)}`;
    const people = await read({ url: at(`localhost:${server.port}`, checked), query });
    assert.equal(people.length, 20_000);
    assert.deepEqual(
      { ...people[6] },
      {
        email: 'm7@example.org',
        name: 'Žofie 7',
        points: '18446744073709551615',
        since: '2026-11-16 10:00:00',
      },
    );
    const cipher = `SELECT VARIABLE_VALUE AS used FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'`;
    const [session] = await read({ url: at(`localhost:${server.port}`, checked), query: cipher });
    assert.match(String(session?.used), /TLS|AES/);
    // Our authority is not one of the system's.
    const unchecked = at(`localhost:${server.port}`, '?ssl-mode=VERIFY_IDENTITY');
    await assert.rejects(read({ url: unchecked, query }), (error) => hasCode(error, 'unavailable'));
  });

  await t.test('is never changed, and a mistake in the query is no reason to try again', async () => {
    for (const bad of ['DELETE FROM person', 'DROP TABLE person', 'SELECT email FROM nobody', 'SELEC 1'])
      await assert.rejects(read({ url, query: bad }), (error) => hasCode(error, 'invalid-input'), bad);
    await assert.rejects(read({ url: url.replace('p%40ss', 'wrong'), query }), (error) =>
      hasCode(error, 'configuration-invalid'),
    );
    assert.equal((await read({ url, query })).length, 20_000);
  });

  await t.test('is read to its end although the connection breaks: nobody gets a second mail', async () => {
    const gate = await openGate({ host: '127.0.0.1', port: server.port });
    t.after(() => gate.close());
    // More than sockets keep, and more than is stored before we look.
    const large = "SELECT email, REPEAT('x', 2000) AS filler FROM person LIMIT 20000";
    const audiences = { customers: { url: at(gate.address), query: large } };
    const { call } = await runMailHouse(t, { mail: { audiences } });
    await call('campaign.create', { name: 'shop', type: 'order', audience: ['query:customers'] });
    await call('campaign.start', { campaign: 'shop', generateOnly: true });
    const show = () => call('campaign.show', { campaign: 'shop' });
    await eventually('it has begun', async () => (await show()).generated > 0);
    gate.cut();
    await eventually('it is complete', async () => (await show()).state === 'held');
    assert.equal((await show()).generated, 20_000);
    assert.ok((await show()).repeated > 0, 'it was read twice');
  });
});
