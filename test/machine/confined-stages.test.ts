import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pismak } from '../command-line.ts';
import { startPismak } from '../start-pismak.ts';

test('a program that an administrator makes a stage reads neither database nor token, and has no network', async (t) => {
  const { data, directory, run } = await startPismak(t, { 'command.allow': '*' });
  const [letter, out] = [join(directory, 'letter.txt'), join(directory, 'out')];
  await writeFile(letter, 'hello');
  const script = [
    `ls -a ${data} >out/seen`,
    `cat ${data}/pismak.db ${data}/holder.json >out/stolen`,
    'ip -o link >out/links',
    'true',
  ];
  await run(
    'stage',
    'create',
    'spy',
    '--processor',
    'command',
    '--stage-config',
    `COMMAND = ${script.join('; ')}`,
  );
  await run('publish', letter, '--stages', 'spy,spied', '--wait', '-o', out);
  const result = async (name: string) => readFile(globSync(join(out, '*', name))[0] ?? name, 'utf8');
  assert.deepEqual((await result('seen')).trim().split('\n'), ['.', '..', 'cache']);
  assert.equal(await result('stolen'), '');
  assert.doesNotMatch(await result('links'), /eth|en[ps]|wl/);
});

test('without permission in the settings of the machine no program becomes a stage', async (t) => {
  const { data } = await startPismak(t);
  const create = [
    'stage',
    'create',
    'spy',
    '--processor',
    'command',
    '--stage-config',
    'COMMAND = cat /etc/passwd',
  ];
  const { code, err } = await pismak(data, create);
  assert.notEqual(code, 0);
  assert.match(err, /pismak\.toml does not allow it.*\[command\].*allow = \["\/.*\/cat"\]/);
});
