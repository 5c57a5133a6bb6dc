import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command } from 'commander';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { crawlOptions, userAgent } from '../crawl/options.ts';
import { addCrawlOptions, readCrawlOptions, readHarvesters, readResolve } from './crawl-options.ts';

async function typed(...words: string[]) {
  const command = addCrawlOptions(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  return readCrawlOptions(command.parse(words, { from: 'user' }).opts());
}

test('what is typed wins over pismak.toml, the default too; what is not typed is left to it', async () => {
  assert.deepEqual(await typed('--depth', '0', '--req-delay', '5'), { depth: 0, reqDelay: 5 });
  assert.deepEqual(await typed('--no-warc', '--duplicates'), { warc: false, duplicates: true });
  assert.deepEqual(await typed('--warc', '--no-allow-private'), { warc: true, allowPrivate: false });
  assert.deepEqual(await typed(), {});
});

test('the contact is a page or a mailbox, and nothing that would break the User-Agent', () => {
  for (const contact of ['', 'https://example.org/robot', 'robot@example.org', 'mailto:robot@example.org'])
    assert.equal(crawlOptions.parse({ contact }).contact, contact);
  for (const contact of [
    'x',
    'https://example.org/\r\nX: y',
    'https://example.org/ (x)',
    'file:///etc',
    'ř@x.cz',
  ])
    assert.throws(() => crawlOptions.parse({ contact }), /must be a page/, contact);
  const { agent } = crawlOptions.parse({});
  assert.equal(userAgent({ agent, contact: 'robot@example.org' }), 'PismakRobot/1.0 (+robot@example.org)');
});

test('a file of addresses that is missing is named for what it is', async () => {
  await assert.rejects(
    typed('--resolve', '/nowhere/hosts'),
    /hosts can't be read: give a file with lines `address host/,
  );
});

test('a file of addresses has an address and hosts in each line, however the hosts are written', async (t) => {
  const file = join(await temporaryDirectory(t), 'hosts');
  await writeFile(file, '127.0.0.1 WWW.Město.cz constructor # ours\n::1 www.město.cz.\n');
  assert.deepEqual(await readResolve(file), {
    'www.xn--msto-gwa.cz': ['127.0.0.1', '::1'],
    constructor: ['127.0.0.1'],
  });
  for (const line of ['www.example.cz 127.0.0.1', '127.0.0.1']) {
    await writeFile(file, line);
    await assert.rejects(readResolve(file), /hosts: `.*` is not of the form `address host\.\.\.`/, line);
  }
});

test('harvesters are a number, or auto, which is 0 in the settings', () => {
  assert.deepEqual(['auto', '0', '3'].map(readHarvesters), [0, 0, 3]);
  for (const wrong of ['-1', '1.5', '257', 'many', ''])
    assert.throws(() => readHarvesters(wrong), /1 to 256, or auto/);
});
