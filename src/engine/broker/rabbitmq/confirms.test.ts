import assert from 'node:assert/strict';
import test from 'node:test';
import { Confirms } from './confirms.ts';

const second = 1000;

/** Looks every second of virtual time; `each` says what happens in it. Returns the second in which it was overdue. */
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

test('a server that is slow but confirms one after the other is waited for, however long that takes', () => {
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

test('so is one that is always behind by more than ten seconds', () => {
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

test('when nothing is confirmed for ten seconds it is overdue', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  confirms.pending.add({ sentAt: 0 });
  assert.equal(overdueAt(confirms, 60), 10);
});

test('a confirm that others overtake by ten seconds is overdue, however many come', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  confirms.pending.add({ sentAt: 0 });
  assert.equal(
    overdueAt(confirms, 60, (now) => confirms.confirmed(now)),
    10,
  );
});

test('time in which the server took nothing does not count', () => {
  const confirms = new Confirms<{ sentAt: number }>();
  confirms.pending.add({ sentAt: 0 });
  assert.equal(
    overdueAt(confirms, 60, () => {}, 30 * second),
    40,
  );
});

test('where nothing is to be confirmed nothing is overdue', () => {
  assert.equal(overdueAt(new Confirms<{ sentAt: number }>(), 60), undefined);
});
