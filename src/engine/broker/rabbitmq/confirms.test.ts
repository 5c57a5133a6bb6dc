import assert from 'node:assert/strict';
import test from 'node:test';
import { Confirms } from './confirms.ts';

const second = 1000;

/** Checks every second of virtual time; `each` acts in it. Returns the second in which a confirm is overdue. */
function overdueAt(
  confirms: Confirms<{ sentAt: number }>,
  seconds: number,
  each: (now: number) => void = () => {},
  freeSince = 0,
): number | undefined {
  for (let now = second; now <= seconds * second; now += second) {
    each(now);
    if (confirms.isOverdue(now, freeSince)) return now / second;
  }
  return undefined;
}

test('a slow server that keeps confirming is never overdue', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  for (let count = 0; count < 60; count++) confirms.pending.add({ sentAt: 0 });
  const confirmOne = () => {
    const [oldest] = confirms.pending;
    if (oldest) confirms.pending.delete(oldest);
    confirms.confirmed(oldest?.sentAt ?? 0);
  };
  assert.equal(overdueAt(confirms, 60, confirmOne), undefined);
  assert.equal(confirms.pending.size, 0);
});

test('nor is one that always lags by more than ten seconds', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  const each = (now: number) => {
    confirms.pending.add({ sentAt: now });
    const [oldest] = confirms.pending;
    if (confirms.pending.size > 20 && oldest) {
      confirms.pending.delete(oldest);
      confirms.confirmed(oldest.sentAt);
    } else confirms.confirmed(0);
  };
  assert.equal(overdueAt(confirms, 100, each), undefined);
});

test('a confirm is overdue when the server confirms nothing for ten seconds', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  confirms.pending.add({ sentAt: 0 });
  assert.equal(overdueAt(confirms, 60), 10);
});

test('a confirm that others overtake by ten seconds is overdue, however many others come', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  confirms.pending.add({ sentAt: 0 });
  assert.equal(
    overdueAt(confirms, 60, (now) => confirms.confirmed(now)),
    10,
  );
});

test('time in which the server accepts nothing does not count', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  confirms.pending.add({ sentAt: 0 });
  assert.equal(
    overdueAt(confirms, 60, () => {}, 30 * second),
    40,
  );
});

test('with no unconfirmed messages nothing is overdue', () => {
  assert.equal(overdueAt(new Confirms<{ sentAt: number }>(), 60), undefined);
});
