import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { runMailHouse } from '../testing/running-mail.ts';

test('attachments that are too large, missing or somebody else’s are refused with the mail or the type that has them, and nothing stays', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'large.bin'), Buffer.alloc(1_500_000));
  await writeFile(join(directory, 'half.bin'), Buffer.alloc(600_000));
  const { server, call, admin, anna, engine } = await runMailHouse(t, {
    mail: { attachmentDirectory: directory, attachmentsMb: 1, mailsPerMonth: 1 },
    senders: false,
  });
  const upload = async (bytes: number, user: typeof anna) => {
    const body = new Uint8Array(bytes).fill(bytes % 251);
    return (await server.send('POST', '/api/v1/blobs', { ...user, body })).body.hash as string;
  };
  const [large, foreign, half] = [
    await upload(1_500_001, anna),
    await upload(7, admin),
    await upload(600_001, anna),
  ];
  const file = (name: string) => ({ name, path: join(directory, name) });
  const mail = { type: 'order', to: 'a@example.org', key: 'again' };
  const send = async (...attachments: object[]) =>
    (await server.call('mail.send', { ...mail, attachments }, anna)).body.error?.message ?? 'taken';
  const update = async (...attachments: object[]) =>
    (await server.call('mailtype.update', { code: 'order', attachments }, admin)).body.error?.message ??
    'taken';
  const refused = async (wanted: RegExp, ...attachments: object[]) => {
    assert.match(await send(...attachments), wanted);
    assert.match(await update(...attachments), wanted);
  };
  await refused(/attachment large\.bin has 1500000 bytes; the limit is 1048576/, file('large.bin'));
  await refused(/attachment l has 1500001 bytes; the limit is 1048576/, { name: 'l', blob: large });
  await refused(/exceed 1 MB with h \(/, file('half.bin'), { name: 'h', blob: half });
  await refused(/there is no file .*none\.pdf to attach/, file('none.pdf'));
  await refused(/attachment sub is not a file/, { name: 'sub', path: directory });
  await refused(/attachment n needs a path or a blob/, { name: 'n' });
  await refused(/attachment n has a path and a blob/, { ...file('half.bin'), name: 'n', blob: half });
  await refused(/blob f{64}/, { name: 'n', blob: 'f'.repeat(64) });
  // What lies elsewhere looks the same whether it exists or not, to users and administrators.
  for (const path of ['/etc/passwd', '/etc/no-such-file', '../passwd'])
    await refused(/is outside mail\.attachmentDirectory/, { name: 'n', path });
  assert.match(await send({ name: 'n', blob: foreign }), /you have no blob/);
  assert.match(
    await send({ name: 'n', blob: half, deleteAfterSend: true }),
    /n: deleteAfterSend is for files/,
  );
  assert.deepEqual((await call('mail.ls', {})).mails, []);
  const owners = () => engine.database.query.selectFrom('blobRef').select(['hash', 'owner']).execute();
  assert.deepEqual(await owners(), []);

  // The sum counts what the type attaches, too.
  assert.equal(await update({ name: 'h', blob: half }), 'taken');
  assert.match(await send(file('half.bin')), /exceed 1 MB with half\.bin/);
  // A key and a limit that refused mails used up would refuse this one. The name of a file may be relative.
  await writeFile(join(directory, 'small.txt'), 'x');
  const attachments = [{ name: 'small.txt', path: 'small.txt' }];
  assert.equal((await call('mail.send', { ...mail, attachments }, anna)).isNew, true);
  // The type's blob is not swept while mails of the type may need it.
  assert.deepEqual(await owners(), [{ hash: half, owner: 'mail-type:order' }]);
});
