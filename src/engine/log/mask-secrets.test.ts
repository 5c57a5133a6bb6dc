import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskSecrets } from './mask-secrets.ts';

const masked: [text: string, shown: string][] = [
  ['postgres://pismak:p@ss/w0rd@db:5432/x', 'postgres://pismak:***@db:5432/x'],
  ['postgres://pismak:secret@db:5432/x', 'postgres://pismak:***@db:5432/x'],
  ['amqp://token@host', 'amqp://***@host'],
  ['https://h/?a=1&api_key=abc&b=2#x', 'https://h/?a=1&api_key=***&b=2#x'],
  ['https://h/hook?sig=abc', 'https://h/hook?sig=***'],
  ['https://h/?design=a;PASSWORD=b;c&pw=d?e', 'https://h/?design=a;PASSWORD=***&pw=***'],
  ['a@b //u:p@q@h and //v:w@h, //x:y', 'a@b //u:***@h and //v:***@h, //x:y'],
  [
    'https://hooks.example.com/services/T00000000/abcdefghijklmnopqrstuvwx',
    'https://hooks.example.com/services/T00000000/***',
  ],
  ['sqlite:', 'sqlite:'],
  ['/var/lib/pismak/abcdefghijklmnopqrstuvwxyz', '/var/lib/pismak/abcdefghijklmnopqrstuvwxyz'],
  ['https://console.example.com:8443/pismak', 'https://console.example.com:8443/pismak'],
];

for (const [text, shown] of masked) {
  test(`a log shows ${shown}`, () => assert.equal(maskSecrets(text), shown));
}

test('long texts that look like credentials but are none cost milliseconds', () => {
  const before = process.threadCpuUsage();
  for (const part of ['//a:', '?token', ';key.token', '@', 'a@ //'])
    assert.equal(typeof maskSecrets(part.repeat(200_000 / part.length)), 'string');
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 1_000_000, `${user + system} µs`);
});
