import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { z } from 'zod';
import { type Answers, fakeClient } from '../cli/testing/run-command.ts';
import { defineOperation } from '../engine/operation/operation.ts';
import { ManualClock } from '../engine/time/clock.ts';
import { type CommandOf, operationCommands } from './operation-command.ts';
import { createShell } from './shell.ts';

const paint = defineOperation({
  name: 'fence.paint',
  summary: 'Paints a fence',
  role: 'user',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    fence: z.string().regex(/^[a-z]+$/, 'a fence is named by letters'),
    colour: z.enum(['red', 'green']).describe('Of all planks'),
    coats: z.int().min(1).max(5).default(2).describe('How often'),
    planks: z.array(z.string()).optional(),
    helper: z.string().nullable().optional(),
    primer: z.boolean().default(true).describe('Use primer'),
    varnish: z.boolean().default(false),
    sanded: z.boolean().optional().describe('Sand it first; false: wash it'),
    more: z.record(z.string(), z.number()).default({}).describe('Extras'),
  }),
  output: z.strictObject({ litres: z.number() }),
  example: { fence: 'garden', colour: 'red', coats: 3, planks: ['a', 'b'] },
  handler: async () => ({ litres: 1 }),
});
type Paint = Partial<CommandOf<typeof paint.input, typeof paint.output>>;

async function typed(line: string, more: Paint = {}, answers: Answers = {}) {
  const client = fakeClient(answers);
  let [stdout, stderr] = ['', ''];
  const shell = createShell({
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    environment: {},
    clock: new ManualClock(),
    signal: new AbortController().signal,
    houses: [],
    openClient: async () => client,
    openWork: () => assert.fail('no work'),
    loadSettings: () => assert.fail('no settings'),
  });
  const program = new Command('pismak').option('--json').exitOverride();
  program.configureOutput({ writeOut: (text) => (stdout += text), writeErr: (text) => (stderr += text) });
  operationCommands(program.command('fence'), shell)(paint, { usage: 'paint <fence>', ...more });
  await program.parseAsync(line.split(' '), { from: 'user' }).catch(() => {});
  return { input: client.calls[0]?.input, stdout, stderr };
}

test('what is typed becomes the input: numbers, lists, switches, JSON; what is not said is left out', async () => {
  const said =
    'fence paint garden --colour green --coats 3 --planks a,b --no-primer --varnish --more {"a":1}';
  assert.deepEqual((await typed(said)).input, {
    fence: 'garden',
    colour: 'green',
    coats: 3,
    planks: ['a', 'b'],
    primer: false,
    varnish: true,
    more: { a: 1 },
  });
  const least = await typed('fence paint garden --colour red');
  assert.deepEqual(least.input, { fence: 'garden', colour: 'red' });
});

test('a switch without a default can be typed both ways', async () => {
  const least = { fence: 'garden', colour: 'red' };
  for (const [word, sanded] of [
    ['--sanded', true],
    ['--no-sanded', false],
  ] as const) {
    const { input } = await typed(`fence paint garden --colour red ${word}`);
    assert.deepEqual(input, { ...least, sanded });
  }
  assert.match(
    (await typed('fence paint --help')).stdout,
    /--\[no-\]sanded +sand it first; --no-sanded: wash it$/m,
  );
});

test('the word none says that there is none, where there may be none', async () => {
  const { input } = await typed('fence paint garden --colour red --helper none');
  assert.deepEqual(input, { fence: 'garden', colour: 'red', helper: null });
});

test('what the declaration would refuse is refused before anything is called', async () => {
  for (const [line, expected] of [
    ['fence paint Garden --colour red', /a fence is named by letters/],
    ['fence paint garden --colour blue', /it must be one of red, green/],
    ['fence paint garden --colour red --coats 6', /it must be a number from 1 to 5/],
    ['fence paint garden --colour red --coats many', /it must be a number/],
    ['fence paint garden', /required option '--colour <colour>' not specified/],
  ] as const) {
    const { stderr, input } = await typed(line);
    assert.match(stderr, expected);
    assert.equal(input, undefined);
  }
});

test('the help is the declaration: summary, fields with their defaults, and its example', async () => {
  const { stdout } = await typed('fence paint --help');
  for (const line of [
    /^Paints a fence$/m,
    /--colour <colour> +of all planks: red, green$/m,
    /--coats <number> +how often \(default: 2\)$/m,
    /--no-primer +don't use primer$/m,
    /--more <json> +extras$/m,
    /^ {2}\$ pismak fence paint garden --colour red --coats 3 --planks a,b$/m,
  ])
    assert.match(stdout, line);
});

test('a command says what was done; with --json it prints the answer', async () => {
  const say: Paint = { say: ({ litres }, { fence }) => `${fence} took ${litres} l` };
  const answers = { 'fence.paint': { litres: 7 } };
  assert.equal((await typed('fence paint garden --colour red', say, answers)).stdout, 'garden took 7 l\n');
  const { stdout } = await typed('fence paint garden --colour red --json', say, answers);
  assert.deepEqual(JSON.parse(stdout), { litres: 7 });
});

test('input that a command finds itself is sent too, and a command that must be confirmed needs --yes', async () => {
  const more: Paint = {
    confirm: 'paint stays',
    complete: async (_, { fence }) => ({ planks: [`${fence}-1`] }),
  };
  const refused = await typed('fence paint garden --colour red', more);
  assert.match(refused.stderr, /--yes/);
  const { input } = await typed('fence paint garden --colour red --yes', more);
  assert.deepEqual(input, { fence: 'garden', colour: 'red', planks: ['garden-1'] });
});

test('the old name of a command answers as the new one does, and a note names the new one', async () => {
  const old = { old: ['brush', 'coat'], say: () => 'painted' };
  const answers = { 'fence.paint': { litres: 7 } };
  for (const word of old.old) {
    const { input, stdout, stderr } = await typed(
      `fence ${word} garden --planks a,b --colour red --json`,
      old,
      answers,
    );
    assert.deepEqual(input, { fence: 'garden', colour: 'red', planks: ['a', 'b'] });
    assert.deepEqual(JSON.parse(stdout), { litres: 7 });
    assert.equal(stderr, `\`fence ${word}\` is now \`fence paint\`; the next version drops the old name\n`);
  }
  const refused = await typed('fence brush garden --colour blue', old);
  assert.match(refused.stderr, /it must be one of red, green/);
  assert.match((await typed('fence brush --help', old)).stdout, /^Usage: pismak fence paint /);
  assert.doesNotMatch((await typed('fence --help', old)).stdout, /brush|coat /);
});
