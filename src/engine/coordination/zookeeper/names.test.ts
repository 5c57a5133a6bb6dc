import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkPath, nameOf, parentOf } from '../path.ts';
import { Names, nodeName } from './names.ts';

const names = new Names('/root', false);

const path = fc
  .array(fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join('/')}`)
  .filter((text) => {
    try {
      checkPath(text);
      return true;
    } catch {
      return false;
    }
  });

test('ZooKeeper accepts all our paths, and the name can be read back', () => {
  fc.assert(
    fc.property(path, (one) => {
      const znode = names.node(one);
      assert.match(znode, /^[ -~\u00a0-\ud7ff]+$/);
      assert.equal(nodeName(nameOf(znode)), nameOf(one));
      assert.equal(parentOf(znode), names.directory(parentOf(one)));
    }),
  );
});

test('nodes, directories and places never share a znode', () => {
  fc.assert(
    fc.property(path, path, (one, other) => {
      const places = [one, other].flatMap((each) => [
        names.node(each),
        names.directory(each),
        names.queue(each),
      ]);
      assert.equal(new Set(places).size, one === other ? 3 : 6);
      assert.equal(nodeName(nameOf(names.directory(one))), undefined);
      assert.equal(nodeName(nameOf(names.queue(one))), undefined);
    }),
  );
});
