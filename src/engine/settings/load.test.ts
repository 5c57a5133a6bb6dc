import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { z } from 'zod';
import { PismakError } from '../ground/errors.ts';
import type { House } from '../house.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { type CommandLineSettings, loadSettings } from './load.ts';

const shop = {
  name: 'shop',
  settings: z.strictObject({
    desks: z
      .record(
        z.string().regex(/^[a-z]+$/),
        z.strictObject({
          open: z.boolean().optional(),
          seats: z.int().min(1),
          tags: z.array(z.string()).optional(),
        }),
      )
      .default({})
      .describe('Desks'),
    keys: z.array(z.string()).default([]).describe('Keys').meta({ isPath: true }),
    map: z.string().default('').describe('Map').meta({ isPath: true }),
    doors: z
      .array(z.strictObject({ width: z.number() }))
      .default([])
      .describe('Doors'),
  }),
} as unknown as House;

type From = { toml?: string; environment?: Record<string, string>; commandLine?: CommandLineSettings };

async function load(context: TestContext, { toml, environment = {}, commandLine = {} }: From) {
  const directory = await temporaryDirectory(context);
  if (toml !== undefined) await writeFile(join(directory, 'pismak.toml'), toml);
  const houses = [shop];
  return { directory, ...(await loadSettings({ directory, environment, commandLine, houses })) };
}

async function problems(context: TestContext, from: From): Promise<string[]> {
  const error = await load(context, from).then(
    () => assert.fail('it was accepted'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof PismakError, String(error));
  assert.equal(error.code, 'configuration-invalid');
  const found = error.details?.problems as string[];
  for (const problem of found) assert.ok(error.message.includes(problem));
  return found;
}

test('without a file everything has its default, and the data directory is absolute', async (context) => {
  const { settings, origins, directory, file } = await load(context, {});
  assert.equal(settings.http.port, 7475);
  assert.equal(settings.data, join(directory, '.pismak'));
  assert.equal(file, undefined);
  assert.ok([...origins.values()].every((origin) => origin === 'default'));
});

test('each layer overrides the one before, and the origin says which one won', async (context) => {
  const toml = '# ours\n[http]\nport = 1\nhost = "0.0.0.0"\nbodyLimitMb = 2\n';
  const { settings, origins } = await load(context, {
    toml,
    environment: { PISMAK_HTTP_PORT: '2', PISMAK_HTTP_BODY_LIMIT_MB: '3', UNRELATED: 'x' },
    commandLine: { port: '4', set: ['worker.labels=gpu, big', 'http.trustProxy=true'] },
  });
  assert.equal(settings.http.port, 4);
  assert.equal(settings.http.host, '0.0.0.0');
  assert.equal(settings.http.bodyLimitMb, 3);
  assert.deepEqual(settings.worker.labels, ['gpu', 'big']);
  assert.equal(settings.http.trustProxy, true);
  assert.equal(origins.get('http.port'), 'command line --port');
  assert.equal(origins.get('http.host'), 'pismak.toml:4');
  assert.equal(origins.get('http.bodyLimitMb'), 'environment PISMAK_HTTP_BODY_LIMIT_MB');
  assert.equal(origins.get('http.trustProxy'), 'command line --set');
  assert.equal(origins.get('log.level'), 'default');
});

test('all mistakes are reported at once, with file and line, the allowed values and what was probably meant', async (context) => {
  const found = await problems(context, {
    toml: 'broker = "redis://user:hidden@host"\n[http]\nprot = 1\nport = "many"\n[watchdog]\npolicy = "flaw"\n[htpp]\nx = 1\n',
    environment: { PISMAK_HTTP_PROT: '1', PISMAK_WORKER_COUNT: '-1' },
    commandLine: { set: ['log.level=loud', 'nonsense', 'port=1'] },
  });
  const expected = [
    /^pismak\.toml:1: broker can't be .*user:\*\*\*@host.*; it must begin with sqlite: or postgres: or amqp: or amqps:$/,
    /^pismak\.toml:3: there is no setting http\.prot; did you mean http\.port\? Allowed: http\.host, http\.port,/,
    /^pismak\.toml:4: http\.port can't be 'many'; it must be a whole number from 0 to 65535$/,
    /^pismak\.toml:6: watchdog\.policy can't be 'flaw'; it must be one of flow, parametric$/,
    /^pismak\.toml:7: there is no setting htpp; did you mean http\? Allowed: data, broker,/,
    /^environment PISMAK_HTTP_PROT: there is no such setting; did you mean PISMAK_HTTP_PORT\?$/,
    /^environment PISMAK_WORKER_COUNT: worker\.count can't be -1; it must be a whole number from 0 to 1000$/,
    /^command line --set: log\.level can't be 'loud'; it must be one of trace, debug,/,
    /^command line --set nonsense: write it as --set NAME=VALUE$/,
    /^command line --set: there is no setting port; did you mean http\.port\?/,
  ];
  assert.equal(found.length, expected.length, found.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? '', pattern);
  assert.ok(!found.join().includes('hidden'));
});

test('the command line sets single values in tables, over those of the file', async (context) => {
  const { settings, origins, directory } = await load(context, {
    toml: '[processors]\nwhisper = "w"\n[shop.desks.cash]\nseats = 1\nopen = true\n[shop.desks.info]\nseats = 3\n',
    commandLine: {
      set: [
        'shop.desks.cash.seats=2',
        'shop.desks.new.tags=a, b',
        'shop.desks.new.seats=5',
        'processors.shout=./shout.ts',
        'processors.very.loud=package',
      ],
    },
  });
  const { shop } = settings as unknown as { shop: { desks: unknown } };
  assert.deepEqual(shop.desks, {
    cash: { seats: 2, open: true },
    info: { seats: 3 },
    new: { seats: 5, tags: ['a', 'b'] },
  });
  const shout = join(directory, 'shout.ts');
  assert.deepEqual(settings.processors, { whisper: 'w', shout, 'very.loud': 'package' });
  assert.equal(origins.get('shop.desks'), 'pismak.toml, command line --set');
  assert.equal(origins.get('shop.doors'), 'default');
});

test('what is wrong in a table is named with its whole path, wherever it was written', async (context) => {
  const found = await problems(context, {
    toml: '[shop.desks.cash]\nseat = 1\n[[shop.doors]]\nwidth = 1\n[[shop.doors]]\nwidth = "x"\nhight = 1\n',
    commandLine: {
      set: [
        'shop.desks.cash.seat=1',
        'shop.desks.cash.seats=many',
        'shop.desks.Cash.seats=1',
        'shop.desks.cash=1',
        'shop.desk.cash.seats=1',
        'shop.desks.__proto__.seats=1',
        'shop.doors.0.width=1',
      ],
    },
  });
  const unknown =
    'there is no setting shop\\.desks\\.cash\\.seat; did you mean shop\\.desks\\.cash\\.seats\\? Allowed: open, seats, tags';
  const expected = [
    /^pismak\.toml:1: shop\.desks\.cash\.seats is missing; it must be a whole number, at least 1$/,
    new RegExp(`^pismak\\.toml:2: ${unknown}$`),
    /^pismak\.toml:3: shop\.doors\.1\.width can't be 'x'; it must be a number$/,
    /^pismak\.toml:3: there is no setting shop\.doors\.1\.hight; .*llowed: width$/,
    new RegExp(`^command line --set: ${unknown}$`),
    /^command line --set: shop\.desks\.cash\.seats can't be 'many'; it must be a whole number, at least 1$/,
    /^command line --set: shop\.desks can't have the name Cash; names must match/,
    /^command line --set: shop\.desks\.cash is a table: set its values, shop\.desks\.cash\.open, shop\.desks\.cash\.seats,/,
    /^command line --set: there is no setting shop\.desk\.cash\.seats; did you mean shop\.desks/,
    /^command line --set: there is no setting shop\.desks\.__proto__\.seats;/,
    /^command line --set: there is no setting shop\.doors\.0\.width;/,
  ];
  assert.equal(found.length, expected.length, found.join('\n'));
  for (const [index, pattern] of expected.entries()) assert.match(found[index] ?? '', pattern);
  // Together, too, values of the command line must be a whole entry.
  assert.deepEqual(await problems(context, { commandLine: { set: ['shop.desks.new.open=true'] } }), [
    'command line --set: shop.desks.new.seats is missing; it must be a whole number, at least 1',
  ]);
});

test('a wrong value is reported even if another layer overrides it', async (context) => {
  const found = await problems(context, { toml: '[http]\nport = 70000\n', commandLine: { port: '1' } });
  assert.match(found[0] ?? '', /^pismak\.toml:2: http\.port/);
});

test('invalid TOML is reported with its line', async (context) => {
  assert.match(
    (await problems(context, { toml: 'data = "x"\nbroker = = 1\n' }))[0] ?? '',
    /^pismak\.toml:2: this is not TOML/,
  );
});

test('a section that is given a value, and hostile keys, are refused', async (context) => {
  assert.match(
    (await problems(context, { toml: 'http = 8080\n' }))[0] ?? '',
    /^pismak\.toml:1: http is a section/,
  );
  assert.match(
    (await problems(context, { toml: '["__proto__"]\nx = 1\n' }))[0] ?? '',
    /there is no setting __proto__/,
  );
  assert.match(
    (await problems(context, { toml: 'data = 1979-05-27\n' }))[0] ?? '',
    /^pismak\.toml:1: data can't be/,
  );
});

test('a configuration file that was named must exist', async (context) => {
  assert.match(
    (await problems(context, { commandLine: { config: 'other.toml' } }))[0] ?? '',
    /there is no file .*other\.toml/,
  );
  assert.match(
    (await problems(context, { environment: { PISMAK_CONFIG: 'e.toml' } }))[0] ?? '',
    /there is no file .*e\.toml/,
  );
});

test('paths in a file are meant from where the file is, others from the working directory', async (context) => {
  const elsewhere = await temporaryDirectory(context);
  const config = join(elsewhere, 'my.toml');
  await writeFile(
    config,
    'data = "state"\nshop.keys = ["a.pem", "/b.pem"]\n[backup]\ndirectory = "copies"\n[processors]\nshout = "./shout.ts"\npack = "some-package"\n',
  );
  const { settings, origins, file } = await load(context, { commandLine: { config } });
  assert.equal(settings.data, join(elsewhere, 'state'));
  assert.deepEqual(settings.processors, { shout: join(elsewhere, 'shout.ts'), pack: 'some-package' });
  assert.equal(settings.backup.directory, join(elsewhere, 'copies'));
  const { shop } = settings as unknown as { shop: { keys: string[]; map: string } };
  assert.deepEqual([shop.keys, shop.map], [[join(elsewhere, 'a.pem'), '/b.pem'], '']);
  assert.equal(origins.get('processors'), 'my.toml:5');
  assert.equal(file, config);
  const given = await load(context, { commandLine: { config, data: 'here' } });
  assert.equal(given.settings.data, join(given.directory, 'here'));
});

test('the coordination can come from a file, and passwords that others can read are warned about', async (context) => {
  const directory = await temporaryDirectory(context);
  const url = 'zookeeper://pismak:top-secret@zk1/x';
  await writeFile(join(directory, 'coordination'), `${url}\n`, { mode: 0o600 });
  const load = (commandLine: CommandLineSettings) =>
    loadSettings({ commandLine, environment: {}, directory });
  const fromFile = await load({ coordinationFile: join(directory, 'coordination') });
  assert.equal(fromFile.settings.coordination, url);
  assert.equal(fromFile.origins.get('coordination'), 'command line --coordination-file');
  assert.deepEqual(fromFile.warnings, []);
  await assert.rejects(load({ coordinationFile: 'nowhere' }), { message: /nowhere can't be read/ });

  const plain = await load({ coordination: 'zookeeper://zk1/x', set: ['http.port=1'] });
  assert.deepEqual(plain.warnings, []);
  const exposed = await load({ coordination: url, set: ['broker=amqp://a:top-secret@host/'] });
  assert.match(exposed.warnings.join('\n'), /--broker is on the command line.*PISMAK_BROKER/);
  assert.match(
    exposed.warnings.join('\n'),
    /--coordination is on .*PISMAK_COORDINATION.*--coordination-file/,
  );
  assert.doesNotMatch(exposed.warnings.join('\n'), /top-secret/);

  const file = join(directory, 'pismak.toml');
  await writeFile(file, `coordination = "${url}"\n`, { mode: 0o644 });
  assert.match(
    (await load({})).warnings.join('\n'),
    /pismak\.toml holds passwords and every user can read it/,
  );
  await chmod(file, 0o600);
  assert.deepEqual((await load({})).warnings, []);
});
