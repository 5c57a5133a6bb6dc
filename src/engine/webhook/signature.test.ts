import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test from 'node:test';
import { signatureHeaders, verifySignature } from './signature.ts';

const now = 1_700_000_000_500;
const secretOf = (text: string) => `whsec_${Buffer.from(text.padEnd(32, '.')).toString('base64')}`;
const secret = secretOf('mine');
const body = '{"a":"č"}';
const headers = signatureHeaders({ id: 'msg_1', body, atMs: now, secrets: [secret] });

test('the signature is that of the example in the specification Standard Webhooks', () => {
  const signed = signatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    atMs: 1_614_265_330_000,
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  assert.deepEqual(signed, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the signature is the HMAC of id, time and body', () => {
  const expected = createHmac('sha256', 'mine'.padEnd(32, '.'))
    .update(`msg_1.1700000000.${body}`)
    .digest('base64');
  assert.equal(headers['webhook-signature'], `v1,${expected}`);
});

test('a receiver accepts a signed body, and refuses a changed, old, renamed or unsigned one', () => {
  assert.equal(verifySignature({ secret, headers, body, now: now + 60_000 }), true);
  assert.equal(verifySignature({ secret: secretOf('other'), headers, body, now }), false);
  assert.equal(verifySignature({ secret, headers, body: `${body} `, now }), false);
  const altered = [
    { 'webhook-timestamp': '1700000001' },
    { 'webhook-id': 'msg_2' },
    { 'webhook-signature': '' },
    { 'webhook-signature': 'v1,' },
    { 'webhook-signature': headers['webhook-signature']?.replace('v1', 'v2') },
    { 'webhook-signature': `${headers['webhook-signature']}0` },
    { 'webhook-timestamp': undefined },
    { 'webhook-id': undefined },
  ];
  for (const change of altered) {
    assert.equal(verifySignature({ secret, headers: { ...headers, ...change }, body, now }), false);
  }
  assert.equal(verifySignature({ secret, headers, body, now: now + 301_000 }), false);
  assert.equal(verifySignature({ secret, headers, body, now: now - 301_000 }), false);
  assert.equal(
    signatureHeaders({ id: 'msg_1', body, atMs: now, secrets: [] })['webhook-signature'],
    undefined,
  );
});

test('while a secret is being replaced, receivers with the old and with the new one both accept', () => {
  const secrets = [secretOf('new'), secretOf('old')];
  const both = signatureHeaders({ id: 'msg_1', body, atMs: now, secrets });
  for (const one of secrets) assert.equal(verifySignature({ secret: one, headers: both, body, now }), true);
});
