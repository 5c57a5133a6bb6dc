import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCommandConfig } from './command-config.ts';

test('the text below the line of dashes goes to the program unchanged', () => {
  const config = parseCommandConfig(
    'COMMAND = my-tool --a=b "c d"\nNETWORK = yes\n---\n[own]\n# keep\nx = 1\n',
  );
  assert.equal(config.COMMAND, 'my-tool --a=b "c d"');
  assert.equal(config.NETWORK, 'yes');
  assert.equal(config.programs, '[own]\n# keep\nx = 1\n');
});

test('a configuration without a program, or with an invalid value, is refused', () => {
  assert.throws(() => parseCommandConfig('NETWORK = no'), /COMMAND is missing/);
  assert.throws(
    () => parseCommandConfig('COMMAND = x\nNETWORK = maybe'),
    /NETWORK must be one of no, yes, never/,
  );
  assert.throws(() => parseCommandConfig('COMMAND = x\nMEMORY_MB = -1'), /at least 0/);
});
