import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Domains } from './domains.ts';
import { Undo } from './undo.ts';

test('what a failed transaction changed in memory is put back', () => {
  const undo = new Undo();
  const domains = new Domains(1, 'sqlite', undo);
  const known = domains.findOrCreate('http://a.cz', 'a.cz');
  domains.change(known, { queued: 1 });
  undo.keep();

  domains.change(known, { queued: 0, state: 'ready' });
  domains.change(known, { queued: 5 });
  const made = domains.findOrCreate('http://b.cz', 'b.cz');
  domains.change(made, { queued: 2 });
  undo.rollBack();

  assert.deepEqual([known.queued, known.state], [1, 'new']);
  assert.equal(domains.find('http://b.cz'), undefined);
  assert.deepEqual([...domains.busy()], [known]);
  assert.equal(domains.findOrCreate('http://c.cz', 'c.cz').id, made.id, 'its number is free again');
});
