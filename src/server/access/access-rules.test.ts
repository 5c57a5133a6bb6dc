import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { type Role, roles } from '../../engine/ground/caller.ts';
import { loadHouses } from '../../engine/house.ts';
import { namesOf } from '../../engine/operation/operation.ts';
import { houses } from '../../houses.ts';
import { callsOf, operationsOf } from '../operations.ts';
import { closeInReverse } from '../testing/close-in-reverse.ts';
import { type MakeOwnedThing, ownedThings as ofEngine } from '../testing/owned-things.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

const allOperations = callsOf(operationsOf(await loadHouses(houses)));
/** Each house whose things have owners has its own in `testing/owned-things.ts`. */
const ownedThings: Record<string, MakeOwnedThing> = { ...ofEngine };
for (const { name } of houses) {
  const file = new URL(`../../${name}/testing/owned-things.ts`, import.meta.url);
  if (existsSync(file)) Object.assign(ownedThings, (await import(file.href)).ownedThings);
}

/** Generated from the declarations: an operation that is added is tested, and an owned one without a fixture fails. */
describe('access to every operation', () => {
  const scope = closeInReverse({ after });
  let server: RunningServer;
  const keys = {} as Record<Role, string>;
  before(async () => {
    const access = { keysPerUser: 1_000_000 };
    server = await runServer(scope, { http: { requestsPerMinute: 1_000_000 }, settings: { access } });
    for (const role of roles) keys[role] = (await server.signUp(`some-${role}`, role)).key;
  });

  test('names and routes are unique, and every example is a valid input', () => {
    const names = allOperations.flatMap(namesOf);
    assert.equal(new Set(names).size, names.length);
    for (const { name, input, example } of allOperations) {
      assert.match(name, /^[a-z]+(\.[a-z][a-zA-Z0-9]*)+$/);
      const { error } = input.safeParse(example);
      assert.equal(error, undefined, `${name}: ${error?.message}`);
    }
  });

  for (const operation of allOperations) {
    const { name, role, changes } = operation;
    const example = operation.example as object;
    if (role === 'public') continue;

    test(`${name} needs a sign-in`, async () => {
      for (const key of [undefined, 'pk_unknown', 'nonsense']) {
        const answer = await server.call(name, example, { key });
        assert.deepEqual([answer.status, answer.body.error.code], [401, 'not-signed-in']);
      }
    });

    for (const lower of roles.slice(0, roles.indexOf(role))) {
      test(`${name} is refused to the role ${lower}`, async () => {
        const answer = await server.call(name, example, { key: keys[lower] });
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden']);
        assert.match(answer.body.error.message, new RegExp(`needs the role ${role}`));
      });
    }

    test(`${name} is refused to a key without its scope`, async () => {
      const other = name === 'event.ls' ? 'alert.ls' : 'event.ls';
      for (const scope of [other, `${name}x`, `${name.slice(0, 2)}.`]) {
        const made = await server.call(
          'key.create',
          { name: 'scoped', scopes: [scope] },
          { key: keys.admin },
        );
        const answer = await server.call(name, example, { key: made.body.key });
        assert.deepEqual([answer.status, answer.body.error.code], [403, 'forbidden']);
        assert.match(answer.body.error.message, /this key may not call/);
      }
    });

    if (!changes) {
      test(`${name} is allowed to the role ${role} by a key with its scope`, async () => {
        const scopes = [`${name.split('.')[0]}.`];
        const made = await server.call('key.create', { name: 'scoped', scopes }, { key: keys[role] });
        const answer = await server.call(name, example, { key: made.body.key });
        assert.ok(![401, 403, 500].includes(answer.status), answer.text);
      });
    }
  }

  for (const { name, owner } of allOperations) {
    if (owner === 'none') continue;
    test(`${name} keeps to what is the caller's`, async () => {
      const makeThing = ownedThings[name];
      assert.ok(
        makeThing,
        `testing/owned-things.ts (of src/server, or of its house) needs an entry for ${name}: how to make a thing of somebody`,
      );
      const tag = `${allOperations.findIndex((operation) => operation.name === name)}`;
      const [anna, bert] = await Promise.all([
        server.signUp(`anna${tag}`, 'user'),
        server.signUp(`bert${tag}`, 'user'),
      ]);
      const { input, foreign, own } = await makeThing(server, anna, tag);
      const answerToBert = await server.call(name, input, bert);
      if (typeof owner === 'function') {
        assert.deepEqual([answerToBert.status, answerToBert.body.error.code], [404, 'not-found']);
        const nothing = await server.call(name, missing(input), bert);
        assert.deepEqual(
          nothing.body,
          answerToBert.body,
          'what is foreign must look like what does not exist',
        );
      }
      foreign?.(answerToBert);
      // The owner can: otherwise the refusal would prove nothing.
      const answerToAnna = await server.call(name, input, anna);
      assert.ok(answerToAnna.status < 400, answerToAnna.text);
      await own?.(answerToAnna);
    });
  }
});

/** The same input, naming things that are not there. */
function missing(input: object): object {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      name === 'password' ? value : typeof value === 'string' ? `${value}-missing` : value,
    ]),
  );
}
