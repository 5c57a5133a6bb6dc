import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeClient, runCommand } from '../../cli/testing/run-command.ts';

test('a search for nothing, or for too many hits, says what is allowed', async () => {
  for (const [words, said] of [
    [[''], /name at least one word/],
    [['kůň', '--limit', '0'], /it must be a number from 1 to 200/],
    [['kůň', '--limit', '500'], /it must be a number from 1 to 200/],
  ] as const) {
    const client = fakeClient({});
    const { code, stderr } = await runCommand(['search', ...words], { client });
    assert.equal(code, 2);
    assert.match(stderr, said);
    assert.deepEqual(client.calls, []);
  }
});
