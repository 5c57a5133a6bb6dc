import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classesOf, mailSettings } from './settings.ts';

test('a class keeps what the settings don’t mention; a new one is like bulk', () => {
  const usual = classesOf(mailSettings.parse({}));
  const classes = classesOf(
    mailSettings.parse({
      classes: { transactional: { ttlMs: 900_000 }, bulk: { onUnknown: 'resend' }, survey: { lane: 'high' } },
    }),
  );
  assert.deepEqual(classes.get('transactional'), { ...usual.get('transactional'), ttlMs: 900_000 });
  assert.deepEqual(classes.get('bulk'), { ...usual.get('bulk'), onUnknown: 'resend' });
  assert.deepEqual(classes.get('survey'), { ...usual.get('bulk'), lane: 'high' });
  const { lane, onUnknown } = classes.get('transactional') ?? {};
  assert.deepEqual([lane, onUnknown, classes.get('bulk')?.unsubscribe], ['high', 'resend', true]);
});
