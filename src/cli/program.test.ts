import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { PismakError } from '../engine/ground/errors.ts';
import { ManualClock } from '../engine/time/clock.ts';
import { houses } from '../houses.ts';
import { createProgram, groupNames } from './program.ts';
import { fakeClient, runCommand } from './testing/run-command.ts';

/** Commands that do something, without old names, which help does not show. */
function leaves(command: Command): Command[] {
  const shown = new Set(command.createHelp().visibleCommands(command));
  const inner = command.commands.filter((one) => shown.has(one));
  return inner.length === 0 ? [command] : inner.flatMap(leaves);
}

test('every command has a sentence and an example in its help', async () => {
  let help = '';
  const nowhere = { write: (text: string) => (help += text) };
  const program = await createProgram(
    {
      stdout: nowhere,
      stderr: nowhere,
      environment: {},
      clock: new ManualClock(),
      houses,
      signal: new AbortController().signal,
      openWork: () => assert.fail('no work is needed'),
      openClient: () => assert.fail('no client is needed for help'),
      loadSettings: () => assert.fail('no settings are needed for help'),
    },
    groupNames(houses),
  );
  const commands = leaves(program);
  assert.ok(commands.length > 60, `only ${commands.length} commands`);
  for (const command of commands) {
    help = '';
    command.outputHelp();
    assert.match(help, /Examples?:\n {2}\$ /, `${command.parent?.name()} ${command.name()} has no example`);
    assert.notEqual(command.description(), '');
  }
});

test('exit codes tell wrong usage, things not found and failures apart', async () => {
  const failing = (error: unknown) => ({ client: fakeClient({ 'stage.show': () => Promise.reject(error) }) });
  const show = ['stage', 'show', 's'];
  assert.equal((await runCommand(['nonsense'])).code, 2);
  assert.equal((await runCommand(['stage'])).code, 2);
  assert.equal((await runCommand(['stage', 'show'])).code, 2);
  assert.equal((await runCommand(['stage', 'ls', '--nonsense'])).code, 2);
  assert.equal((await runCommand(['event', 'ls', '--limit', 'many'])).code, 2);
  assert.equal((await runCommand(['config', '--set', 'nonsense=1'])).code, 2);
  assert.equal((await runCommand(show, failing(new PismakError('stage-unknown', 'no such stage')))).code, 3);
  assert.equal((await runCommand(show, failing(new PismakError('not-found', 'nothing')))).code, 3);
  assert.equal((await runCommand(show, failing(new PismakError('unavailable', 'not reachable')))).code, 3);
  assert.equal((await runCommand(show, failing(new PismakError('forbidden', 'no')))).code, 1);
  assert.equal((await runCommand(show, failing(new Error('bug')))).code, 1);
  assert.equal((await runCommand(['--help'])).code, 0);
});

test('an error is a sentence with its code; a stack trace is shown only on request', async () => {
  const client = fakeClient({
    'stage.show': () => Promise.reject(new PismakError('forbidden', 'not \x1bfor you')),
  });
  const { stderr, stdout } = await runCommand(['stage', 'show', 's'], { client });
  assert.equal(stderr, 'pismak: not \\x1bfor you (forbidden)\n');
  assert.equal(stdout, '');
  const debugging = await runCommand(['stage', 'show', 's'], { client, environment: { PISMAK_DEBUG: '1' } });
  assert.match(debugging.stderr, /at .*program\.test\.ts/);
});

test('options for all commands may stand before or after the command', async () => {
  for (const words of [
    ['--json', 'stage', 'ls'],
    ['stage', '--json', 'ls'],
    ['stage', 'ls', '--json'],
  ]) {
    const { stdout } = await runCommand(words, { client: fakeClient({ 'stage.ls': { stages: [] } }) });
    assert.equal(stdout, '[]\n');
  }
});

test('--data names a directory, unless it is JSON: that is data for the command', async () => {
  const json = '{"number": 7}';
  const directoryOf = async (...words: string[]) => {
    const { stdout, stderr } = await runCommand(['config', '--json', ...words], { directory: '/here' });
    assert.equal(stderr, '');
    return JSON.parse(stdout).find(({ setting }: { setting: string }) => setting === 'data').value;
  };
  assert.equal(await directoryOf('--data', json), '"/here/.pismak"');
  assert.equal(await directoryOf('--data', '/there', '--data', json), '"/there"');
  assert.equal(await directoryOf('--data', json, '--data', '/there'), '"/there"');
});
