import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { loadHouses } from '../engine/house.ts';
import { ManualClock } from '../engine/time/clock.ts';
import { houses } from '../houses.ts';
import { operationsOf } from '../server/operations.ts';
import { operationOf } from '../terminal/operation-command.ts';
import type { Sink } from '../terminal/output/output.ts';
import type { Surroundings } from '../terminal/session.ts';
import { createProgram, groupNames } from './program.ts';
import { fakeClient, runCommand } from './testing/run-command.ts';

const root = join(import.meta.dirname, '..');
const declarations = globSync('**/*.ts', { cwd: root }).filter(
  (file) =>
    !file.endsWith('.test.ts') &&
    /^export const \w+ = define(Operation|Stream)\(/m.test(readFileSync(join(root, file), 'utf8')),
);

/** Operations that no command calls, and why. */
const withoutCommand: Readonly<Record<string, string>> = {
  'session.login': 'for browsers: the command line shows a key, or is at the machine itself',
  'session.logout': 'as above',
  'session.show': 'as above',
  'setup.claim': 'for the link that is printed at the first start; at the machine there is `user create`',
  'user.recover': 'for the link that `user reset` makes',
};

test('every operation has a command', async () => {
  const called = new Set<unknown>();
  for (const file of globSync(['{cli,terminal}/**/*.ts', '*/commands.ts', '*/commands/**/*.ts'], {
    cwd: root,
  })) {
    if (file.endsWith('.test.ts')) continue;
    for (const { from, names } of importsOf(file)) {
      if (!declarations.includes(from)) continue;
      const module: Record<string, unknown> = await import(join(root, from));
      for (const name of names) called.add(module[name]);
    }
  }
  const all = operationsOf(await loadHouses(houses));
  const uncalled = all.filter((operation) => !called.has(operation)).map(({ name }) => name);
  const forgotten = uncalled.filter((name) => !(name in withoutCommand));
  const where = 'src/cli/commands/, or commands.ts or commands/ of its house';
  assert.deepEqual(forgotten, [], `no command in ${where} calls ${forgotten.join(', ')}`);
  assert.deepEqual(uncalled.sort(), Object.keys(withoutCommand).sort());
});

/** Values that a file imports, each from which file below src/. */
function importsOf(file: string): { from: string; names: string[] }[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^import \{([^}]*)\} from '(\.[^']*)';/gm)].map(([, names = '', path = '']) => ({
    from: relative(root, join(root, dirname(file), path)),
    names: names.split(',').map((name) => name.trim().split(' as ')[0] ?? ''),
  }));
}

/** Commands whose example can't be tried here, or does not say what the operation's example says. */
const otherExamples = ['alert unmute', 'stage try', 'user create', 'user password', 'worker unpin'];

for (const { words, example, operation } of await generated()) {
  if (otherExamples.includes(words)) continue;
  test(`the example of pismak ${words} says what the example of ${operation.name} says`, async () => {
    const client = fakeClient({});
    const { code, stderr } = await runCommand(shellWords(example), { client });
    assert.equal(code, 0, stderr);
    // What can't be said in one word has options of its own.
    const { retry: _, ...said } = operation.example as Record<string, unknown>;
    const inputs = client.calls.map(({ name, input }) => ({ name, input: operation.input.parse(input) }));
    assert.deepEqual(inputs, [{ name: operation.name, input: operation.input.parse(said) }]);
  });
}

/** Commands whose verb is not that of their operation, and why. */
const otherVerbs: Readonly<Record<string, string>> = {
  'alert unmute': 'sends `alert.mute` without a time',
  'worker unpin': 'sends `worker.pin` without a stage',
};

test("a command's verb is the verb of its operation", async () => {
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const others = (await generated())
    .filter(({ words, operation }) => words.includes(' ') && kebab(verbOf(operation.name)) !== verbOf(words))
    .map(({ words }) => words);
  assert.deepEqual(others.sort(), Object.keys(otherVerbs).sort());
});

function verbOf(name: string): string {
  return name.split(/[. ]/).at(-1) ?? '';
}

/** Surroundings in which nothing but help can be had. */
function unused(stdout: Sink = { write: () => {} }): Surroundings {
  const unneeded = () => assert.fail('help needs none of it');
  return {
    stdout,
    stderr: stdout,
    environment: {},
    clock: new ManualClock(),
    houses,
    signal: new AbortController().signal,
    openWork: unneeded,
    openClient: unneeded,
    loadSettings: unneeded,
  };
}

async function generated() {
  let help = '';
  const write = (text: string) => (help += text);
  const found = [];
  const commands: [string, Command][] = (
    await createProgram(unused({ write }), groupNames(houses))
  ).commands.map((command) => [command.name(), command]);
  for (const [words, command] of commands) {
    for (const inner of command.commands) commands.push([`${words} ${inner.name()}`, inner]);
    const operation = operationOf(command);
    if (!operation) continue;
    help = '';
    command.outputHelp();
    found.push({ words, operation, example: /\$ pismak (.*)/.exec(help)?.[1] ?? '' });
  }
  assert.ok(found.length > 50, `only ${found.length} commands are generated`);
  return found;
}

test('no option of a command has the name of one that every command takes', async () => {
  const program = await createProgram(unused(), groupNames(houses));
  const common = new Set(program.options.map(({ long }) => long));
  const commands = [...program.commands];
  for (const command of commands) {
    commands.push(...command.commands);
    for (const { long } of command.options) assert.ok(!common.has(long), `${command.name()} ${long}`);
  }
});

function shellWords(line: string): string[] {
  return [...line.matchAll(/'((?:[^']|'\\'')*)'|\S+/g)].map(([word, quoted]) =>
    (quoted ?? word).replaceAll("'\\''", "'"),
  );
}

test('what every command loads brings no driver and no server along', async () => {
  const files = [...declarations, 'engine/settings/load.ts'].map((file) => join(root, file));
  const script = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({
      load(url, context, next) {
        const [, name] = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
        if (name !== undefined) packages.add(name);
        return next(url, context);
      },
    });
    for (const file of ${JSON.stringify(files)}) await import(file);
    console.log(JSON.stringify([...packages].sort()));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const allowed = ['croner', 'smol-toml', 'zod'];
  const others = (JSON.parse(stdout) as string[]).filter((name) => !allowed.includes(name));
  assert.deepEqual(
    others,
    [],
    `files that declare operations load ${others.join(', ')}; import what needs it in the handler: await import(...)`,
  );
});

test('of the languages of Zod only English is loaded, and refusals are in English', async () => {
  const script = `
    import { z } from 'zod';
    console.log(JSON.stringify([Object.keys(z.locales), z.int().safeParse('x').error.issues[0].message]));`;
  const preload = join(import.meta.dirname, 'english-only.ts');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', preload, '--input-type=module', '-e', script],
    { cwd: root },
  );
  assert.deepEqual(JSON.parse(stdout), [['default'], 'Invalid input: expected number, received string']);
});
