import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Command } from 'commander';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import type { Surroundings } from '../../terminal/session.ts';
import { createShell } from '../../terminal/shell.ts';
import { addAudit } from './audit.ts';

async function audit(...paths: string[]): Promise<string> {
  let stdout = '';
  const surroundings = {
    stdout: { write: (text: string) => (stdout += text) },
    environment: {},
    houses: [],
    signal: new AbortController().signal,
  } as unknown as Surroundings;
  const program = new Command().exitOverride().option('--json');
  addAudit(program, createShell(surroundings));
  await program.parseAsync(['audit', ...paths], { from: 'user' });
  return stdout;
}

const rules = '{"rules":{"reqDelayMs":1000,"maxHosts":1,"maxReqs":9,"generalPauseMs":0}}';
const request = (at: number) =>
  `{"at":${at},"ms":10,"address":"192.0.2.1","host":"a.cz","url":"http://a.cz/${at}"}`;

test('an audit says that no rule was broken, or names the first violation', async (t) => {
  const log = join(await temporaryDirectory(t), 'requests-00001.jsonl.gz');
  const said = '2 requests to 1 host on 1 address: no rule was broken\n';
  await writeFile(log, gzipSync([rules, request(0), request(1_010)].join('\n')));
  assert.equal(await audit(log), said);
  await writeFile(log, gzipSync([rules, request(0), request(1_009)].join('\n')));
  await assert.rejects(audit(log), /1 violation; the first one, of req-delay.* 999 ms after/);
});

test('an audit of nothing proves nothing', async (t) => {
  const directory = await temporaryDirectory(t);
  const log = join(directory, 'requests-00001.jsonl');
  for (const content of ['', '\n', rules]) {
    await writeFile(log, content);
    await assert.rejects(audit(log), /there are no requests in .*, so nothing can be proved/);
    await assert.rejects(audit(directory), /nothing can be proved/);
  }
  await mkdir(join(directory, 'empty'));
  await assert.rejects(audit(join(directory, 'empty')), /there is no requests-\*\.jsonl\.gz/);
  await assert.rejects(audit(join(directory, 'missing')), /there is no file or directory/);
});

test('an audit of anything but a whole log is refused', async (t) => {
  const log = join(await temporaryDirectory(t), 'requests-00001.jsonl.gz');
  for (const [content, problem] of [
    [Buffer.alloc(0), /can't be read: unexpected end of file/],
    [gzipSync([rules, request(0)].join('\n')).subarray(0, 40), /can't be read: unexpected end of file/],
    [gzipSync(`${rules}\n{"at":0}`), /:2 is not a line of a request log/],
    [gzipSync(request(0)), /:1: no rules come before this request/],
  ] as const) {
    await writeFile(log, content);
    await assert.rejects(audit(log), problem);
  }
});
