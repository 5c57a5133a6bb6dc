import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classesOf, type MailClass, mailSettings } from '../settings/settings.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { judge, pauseMs } from './judge.ts';

const settings = mailSettings.parse({});
const minute = 60_000;
const hour = 60 * minute;

function verdictOf(outcome: SmtpOutcome, { attempts = 0, className = 'bulk', notAfter = 72 * hour } = {}) {
  const mail = { attempts, notAfter, destination: 'anna@example.org', createdAt: 0 };
  const mailClass = classesOf(settings).get(className) as MailClass;
  return judge(mail, outcome, { now: 0, random: () => 0.5, settings, mailClass });
}

test('the pause doubles with each attempt up to four hours, and a quarter more or less of it is chance', () => {
  const pauses = Array.from({ length: 12 }, (_, attempts) => pauseMs(minute, attempts, () => 0.5) / minute);
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 240, 240, 240, 240]);
  assert.deepEqual(
    [pauseMs(minute, 0, () => 0), pauseMs(minute, 0, () => 1)],
    [0.75 * minute, 1.25 * minute],
  );
  assert.equal(
    pauseMs(minute, 1e9, () => 0.5),
    4 * hour,
  );
});

test('4xx is tried again until attempts or time to live are over; 5xx never is', () => {
  const later = { kind: 'deferred', code: 450, answer: '450 not now' } as const;
  assert.deepEqual(verdictOf(later), {
    state: 'deferred',
    attempts: 1,
    unknowns: 0,
    answer: '450 not now',
    retryAt: minute,
  });
  assert.equal(verdictOf(later, { attempts: 11 }).state, 'failed');
  assert.match(verdictOf(later, { attempts: 11 }).answer, /given up after 12 attempts: 450/);
  assert.equal(verdictOf(later, { attempts: 3, notAfter: 7 * minute }).state, 'expired');
  const never = { kind: 'failed', code: 554, enhanced: '5.6.0', answer: '554 never' } as const;
  assert.deepEqual(verdictOf(never), { state: 'failed', attempts: 1, unknowns: 0, answer: '554 never' });
});

test('only codes that say that there is no such mailbox suppress it', () => {
  const suppressed = (enhanced: string) =>
    verdictOf({ kind: 'failed', code: 550, enhanced, answer: '' }).suppress !== undefined;
  for (const code of ['5.1.1', '5.1.2', '5.1.10', '5.2.1']) assert.ok(suppressed(code), code);
  for (const code of ['5.1.0', '5.1.8', '5.2.2', '5.7.1', '5.3.4']) assert.ok(!suppressed(code), code);
});

test('after a cut behind the final dot a newsletter is held, an order is sent again; both are counted', () => {
  const cut = { kind: 'unknown', answer: 'cut' } as const;
  assert.deepEqual(verdictOf(cut), { state: 'unknown', attempts: 1, unknowns: 1, answer: 'cut' });
  const order = verdictOf(cut, { className: 'transactional' });
  assert.deepEqual([order.state, order.unknowns, order.retryAt], ['deferred', 1, minute]);
});
