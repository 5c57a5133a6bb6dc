import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime } from './format.ts';
import { createOutput } from './output.ts';

const at = Date.UTC(2026, 10, 16, 12);
const mail = {
  state: 'sent',
  campaign: '',
  createdAt: at,
  mails: { sent: 200 },
  bcc: [],
  fields: { to: 'a@b' },
};

function print(json: boolean): string {
  let text = '';
  const stdout = { write: (part: string) => (text += part) };
  createOutput({ stdout, stderr: stdout, json }).object(mail);
  return text;
}

test('a thing is shown with dates and words, not with milliseconds and empty braces', () => {
  assert.deepEqual(print(false).trimEnd().split('\n'), [
    'state      sent',
    'campaign   -',
    `createdAt  ${formatTime(at)}`,
    'mails      sent 200',
    'bcc        -',
    'fields     {"to":"a@b"}',
  ]);
});

test('with --json a thing is shown as it is', () => {
  assert.deepEqual(JSON.parse(print(true)), mail);
});
