import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { z } from 'zod';
import { loadHouses } from '../engine/house.ts';
import { usualDeadlineMs } from '../engine/operation/run-handler.ts';
import { houses } from '../houses.ts';
import { callsOf, operationsOf, streamsOf } from './operations.ts';

const all = operationsOf(await loadHouses(houses));
const calls = callsOf(all);

/** Lists without a limit in their input, and what bounds them instead. */
const boundedOtherwise: Record<string, string> = {
  'stage.ls': 'administrators make stages',
  'worker.ls': 'administrators start workers',
  'schedule.ls': 'administrators make schedules',
  'user.ls': 'administrators make users',
  'server.ls': 'there are four servers',
  'stage.processors': 'processors are part of the program',
  'key.ls': 'a user has a limited number of keys',
  'session.ls': 'a user has a limited number of sessions',
  'secret.ls': 'a user has a limited number of secrets',
  'alert.ls': 'the handler takes the newest',
  'usage.ls': 'the handler takes the newest',
  'status.show': 'the handler takes the first queues',
  'watchdog.status': 'administrators make stages and start workers',
  'watchdog.plan': 'administrators make stages and start workers',
  'document.page': 'a page has as many files as its stages write',
  'document.text': 'the text of one page',
  'document.show': 'formats of one document',
  'stage.show': 'one stage',
  'pipeline.show': 'one pipeline',
  'session.show': 'scopes of one key',
  'mailtype.show': 'one mail type',
  'relay.ls': 'the settings name the relays',
  'settings.ls': 'settings are part of the program',
};

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  maximum?: number;
  maxItems?: number;
}

/** Reads that answer with a list of any length. */
const lists = calls.filter(({ changes, output }) => {
  const { properties } = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' }) as Schema;
  const isList = ({ type, maxItems }: Schema) => type === 'array' && maxItems === undefined;
  return !changes && Object.values(properties ?? {}).some(isList);
});
const limitOf = ({ input }: (typeof calls)[number]) => {
  const { properties } = z.toJSONSchema(input, { io: 'output', unrepresentable: 'any' }) as Schema;
  return properties?.limit?.maximum;
};

test('what bounds a list is said once: in its input, or here', () => {
  const named = lists.filter((list) => limitOf(list) === undefined).map(({ name }) => name);
  assert.deepEqual(named.toSorted(), Object.keys(boundedOtherwise).toSorted());
});

for (const list of lists.filter(({ name }) => !(name in boundedOtherwise))) {
  test(`${list.name} answers with a limited number of rows`, () => {
    const limit = limitOf(list);
    assert.ok(limit !== undefined && limit <= 5000, `its limit is ${limit}`);
  });
}

test('a call that declares a deadline of its own changes something, or waits for the caller’s sake', () => {
  const longer = calls.filter(({ deadlineMs = usualDeadlineMs }) => deadlineMs > usualDeadlineMs);
  assert.deepEqual(
    longer.filter(({ changes }) => !changes).map(({ name }) => name),
    [],
  );
  for (const { name, heavy } of longer) {
    // Two that wait, and one that only administrators call and that must not hold up their other work.
    if (['results.take', 'worker.stop', 'backup.create'].includes(name)) continue;
    assert.equal(heavy, 'work', `${name} may take long, so it must take turns`);
  }
});

test('the documentation says what bounds each heavy operation', async () => {
  const page = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('## What an operation may cost');
  const heavy = [...calls, ...streamsOf(all)].filter((operation) => operation.heavy);
  assert.ok(heavy.length > 10, `${heavy.length} operations are heavy`);
  for (const { name } of heavy) assert.ok(section.includes(`\`${name}\``), name);
});
