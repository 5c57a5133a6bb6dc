import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeError } from './exit-codes.ts';

test('a full or read-only disk is named in plain words, and is no unexpected error', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  assert.equal(describeError(full, false), 'pismak: no space is left on the disk; PISMAK_DEBUG=1 shows more');
  const readOnly = Object.assign(new Error("EROFS: ..., open 'out/a'"), { code: 'EROFS', path: 'out/a' });
  assert.match(describeError(readOnly, false), /^pismak: out\/a: the file system is read-only/);
  assert.match(describeError(new Error('odd'), false), /odd \(unexpected/);
});
