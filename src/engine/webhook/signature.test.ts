import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test from 'node:test';
import { sign, verifySignature } from './signature.ts';

const now = 1_700_000_000_500;
const secret = 'secret';
const body = '{"a":"č"}';
const header = sign(secret, body, now);

test('the signature is the HMAC of the time and the body', () => {
  const expected = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex');
  assert.equal(header, `t=1700000000,v1=${expected}`);
});

test('a receiver accepts a signed body, and refuses a changed, old or invalid one', () => {
  assert.equal(verifySignature({ secret, header, body, now: now + 60_000 }), true);
  assert.equal(verifySignature({ secret: 'other', header, body, now }), false);
  assert.equal(verifySignature({ secret, header, body: `${body} `, now }), false);
  assert.equal(
    verifySignature({ secret, header: header.replace('t=1700000000', 't=1700000001'), body, now }),
    false,
  );
  assert.equal(verifySignature({ secret, header, body, now: now + 301_000 }), false);
  assert.equal(verifySignature({ secret, header, body, now: now - 301_000 }), false);
  for (const broken of ['', 'v1=', `${header}00`, header.toUpperCase(), `t=,${header.split(',')[1]}`]) {
    assert.equal(verifySignature({ secret, header: broken, body, now }), false, broken);
  }
});
