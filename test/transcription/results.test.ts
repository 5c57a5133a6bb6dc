import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { createKey } from '../../src/server/access/keys.ts';
import { openServer } from '../../src/server/open-server.ts';
import { operationsOf } from '../../src/server/operations.ts';
import { runHouse } from '../../src/transcription/testing/running-transcription.ts';

test('results come over HTTP to their owner: one by one, or as one ZIP with METS', async (t) => {
  const { engine, submit, reaches } = await runHouse(t);
  for (const name of ['anna', 'bert']) {
    const account = { name, passwordHash: '', role: 'user', disabled: 0, createdAt: 0 };
    await engine.database.query.insertInto('account').values(account).execute();
  }
  const server = await openServer(
    { ...engine, settings: { ...engine.settings, http: { ...engine.settings.http, port: 0 } } },
    operationsOf(engine.houses),
  );
  t.after(() => server.close());
  const by = { name: 'root', role: 'admin', address: '' } as const;
  const keyOf = async (owner: string) => (await createKey(engine, { name: 'test', owner }, by)).key;
  const [anna, bert] = [await keyOf('anna'), await keyOf('bert')];
  const get = (path: string, key: string) =>
    fetch(`${server.localUrl}/api/v1/document/${path}`, { headers: { authorization: `Bearer ${key}` } });

  const name = 'Kronika "1907"/\n🦉';
  const document = await submit({ 'scan.tif': 'první strana\fdruhá strana' }, { name });
  await reaches(document, 'done');
  const file = await get(`file?document=${document}&page=2&file=text.txt`, anna);
  assert.equal(await file.text(), 'druhá strana\n');
  assert.equal(file.headers.get('content-type'), 'text/plain');
  assert.match(file.headers.get('content-disposition') ?? '', /^attachment; filename="text.txt"/);
  const known = { authorization: `Bearer ${anna}`, 'if-none-match': file.headers.get('etag') ?? '' };
  const again = await fetch(file.url, { headers: known });
  assert.deepEqual([again.status, await again.text()], [304, '']);
  assert.equal((await get(`file?document=${document}&page=3&file=text.txt`, anna)).status, 404);
  assert.equal((await get(`file?document=${document}&page=1&file=../secret`, anna)).status, 404);
  assert.equal((await get(`file?document=${document}&page=2&file=text.txt`, bert)).status, 404);
  assert.equal((await get(`archive?document=${document}`, bert)).status, 404);
  assert.equal((await get(`archive?document=${document}`, 'pk_nobody')).status, 401);

  const archive = await get(`archive?document=${document}`, anna);
  assert.match(
    archive.headers.get('content-disposition') ?? '',
    /filename\*=UTF-8''Kronika%20%221907%22%2F%0A/,
  );
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'all.zip');
  await writeFile(path, Buffer.from(await archive.arrayBuffer()));
  const list = 'import json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None;';
  const read = 'print(json.dumps({n: z.read(n).decode() for n in z.namelist()}))';
  const files = JSON.parse(execFileSync('python3', ['-c', `${list}${read}`, path], { encoding: 'utf8' }));
  assert.deepEqual(Object.keys(files).sort(), [
    '0001/page.json',
    '0001/scan-0001.bin',
    '0001/text.txt',
    '0002/page.json',
    '0002/scan-0002.bin',
    '0002/text.txt',
    'mets.xml',
  ]);
  assert.equal(files['0001/text.txt'], 'první strana\n');
  assert.match(files['mets.xml'], /xlink:href="0002\/text.txt"/);
});
