import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeClient, runCommand } from '../../cli/testing/run-command.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { openSink } from '../sink/sink.ts';

const type = ['--sender', 'shop@example.org', '--subject', 'x'];

test('template and text part of a type are files, or what is typed', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'order.txt');
  await writeFile(file, 'Order {{ number }}');
  const create = async (text: string) => {
    const client = fakeClient({ 'mailtype.create': {} });
    const { code, stderr } = await runCommand(
      ['mail', 'type', 'create', 'order', ...type, '--template', '<p>x</p>', '--text', text],
      { client },
    );
    return { code, stderr, text: (client.calls[0]?.input as { text?: string } | undefined)?.text };
  };
  assert.equal((await create(file)).text, 'Order {{ number }}');
  assert.equal((await create('Thank you for {{ number }}')).text, 'Thank you for {{ number }}');
  const missing = await create('nowhere.txt');
  assert.deepEqual([missing.code, missing.text], [2, undefined]);
  assert.match(missing.stderr, /nowhere\.txt can't be read: there is no such file/);
});

test('files are attached to a type or a mail, all or none, and taken from a type again', async (t) => {
  const file = join(await temporaryDirectory(t), 'terms.pdf');
  await writeFile(file, 'x');
  const blob = 'a'.repeat(64);
  let uploads = 0;
  const attach = async (words: string[], ...files: string[]) => {
    const client = fakeClient(
      { 'mailtype.update': {}, 'mail.send': {} },
      { upload: async () => ({ hash: blob, size: ++uploads }) },
    );
    const { stderr } = await runCommand(['mail', ...words, ...files.flatMap((name) => ['--attach', name])], {
      client,
    });
    return {
      stderr,
      attached: (client.calls[0]?.input as { attachments?: unknown } | undefined)?.attachments,
    };
  };
  const update = ['type', 'update', 'order'];
  const send = ['send', 'order', '--to', 'a@example.org'];
  for (const words of [update, send])
    assert.deepEqual((await attach(words, file)).attached, [{ name: 'terms.pdf', blob }]);
  assert.deepEqual((await attach(update, 'none')).attached, []);
  assert.equal((await attach(update)).attached, undefined);
  uploads = 0;
  assert.match((await attach(send, file, 'nowhere.pdf')).stderr, /nowhere\.pdf can't be read/);
  assert.match((await attach(send, ...Array(51).fill(file))).stderr, /at most 50 attachments, not 51/);
  assert.equal(uploads, 0);
});

test('a later time is a date, or how long until then', async () => {
  const at = async (...words: string[]) => {
    const client = fakeClient({ 'mail.send': {}, 'campaign.start': {} });
    const { stderr } = await runCommand(words, { client });
    return { at: (client.calls[0]?.input as { at?: number } | undefined)?.at, stderr };
  };
  const send = ['mail', 'send', 'order', '--to', 'anna@example.org', '--at'];
  const christmas = Date.parse('2100-12-24T08:00');
  assert.equal((await at(...send, '2100-12-24T08:00')).at, christmas);
  assert.equal((await at(...send, '2100-12-24 08:00')).at, christmas);
  assert.equal((await at(...send, String(christmas))).at, christmas);
  assert.equal((await at('mail', 'campaign', 'start', 'spring', '--at', '2100-12-24 08:00')).at, christmas);
  const before = Date.now();
  const inAnHour = (await at(...send, '1h')).at ?? 0;
  assert.ok(inAnHour >= before + 3_600_000 && inAnHour <= Date.now() + 3_600_000);
  assert.match((await at(...send, 'soon')).stderr, /it must be a time such as/);
  const past = await at(...send, '2020-12-24');
  assert.deepEqual(
    [past.at, past.stderr],
    [undefined, 'pismak: 2020-12-24 is in the past (invalid-input)\n'],
  );
});

test('where Pismak doesn’t run, a started campaign is not waited for', async () => {
  const client = fakeClient({ 'campaign.start': {} }, { alone: true });
  const { code, stderr } = await runCommand(['mail', 'campaign', 'start', 'spring', '--wait'], { client });
  assert.equal(code, 0);
  assert.match(stderr, /Pismak is not running here; the campaign waits/);
});

test('a file that is missing is named, whatever it was meant for', async () => {
  for (const words of [
    ['send', 'order', '--to', 'a@example.org', '--attach', 'nowhere.pdf'],
    ['type', 'create', 'order', ...type, '--template', '<p>x</p>', '--attach', 'nowhere.pdf'],
    ['campaign', 'create', 'spring', '--type', 'news', '--audience', 'nowhere.csv'],
  ]) {
    const { code, stderr } = await runCommand(['mail', ...words]);
    assert.equal(code, 2);
    assert.match(stderr, /nowhere\.\w+ can't be read: there is no such file or directory/);
  }
});

test('a preview of all types shows those that can be rendered, and names those that can’t', async (t) => {
  const client = fakeClient({
    'mailtype.ls': {
      types: ['bad', 'good'].map((code) => ({
        code,
        name: '',
        class: 'bulk',
        sender: '',
        subject: '',
        version: 1,
        createdAt: 0,
        languages: ['cs'],
        designs: code === 'bad' ? ['shop.sk'] : [],
      })),
    },
    'mailtype.preview'({ code }: { code: string }) {
      if (code === 'bad') throw new PismakError('invalid-input', 'template bad, line 3: no');
      return { subject: 'Ahoj', html: '<p>x</p>', text: 'x', language: 'cs', missing: '' };
    },
  });
  const output = await temporaryDirectory(t);
  const { code, stdout, stderr } = await runCommand(['mail', 'preview', 'all', '-o', output], { client });
  assert.equal(code, 2);
  assert.match(stdout, /good\.cs +Ahoj/);
  assert.match(stderr, /template bad, line 3: no\n.*1 mail can't be rendered/s);

  // Of a domain: types of other domains are left out, and a domain that no type knows is a mistake.
  const of = (design: string) =>
    runCommand(['mail', 'preview', 'all', '-o', output, '--design', design], { client });
  assert.match((await of('shop.de')).stderr, /no mail type has a design shop\.de; the designs are shop\.sk/);
  assert.match((await of('shop.sk')).stderr, /template bad/);
});

test('with Chromium, previews have pictures of whole mails, and one picture shows all mails in all languages', async (t) => {
  const client = fakeClient({
    'mailtype.ls': {
      types: ['news', 'order'].map((code) => ({
        code,
        name: '',
        class: 'bulk',
        sender: '',
        subject: '',
        version: 1,
        createdAt: 0,
        languages: code === 'news' ? ['cs', 'sk'] : ['cs'],
        designs: [],
      })),
    },
    'mailtype.preview': ({ code, language }: { code: string; language: string }) => ({
      subject: 'Ahoj',
      text: 'x',
      language,
      missing: '',
      html: `<body style="margin:0"><div style="height:${code === 'news' ? 3000 : 200}px">x</div><script>document.body.innerHTML = ''</script>`,
    }),
  });
  const output = await temporaryDirectory(t);
  const { stdout, stderr } = await runCommand(['mail', 'preview', 'all', '-o', output, '--png'], { client });
  assert.equal(stderr, '');
  assert.deepEqual(stdout.match(/^\w+\.(cs|sk)/gm), ['news.cs', 'news.sk', 'order.cs', 'order.sk']);
  const sizeOf = async (name: string) => {
    const png = await readFile(join(output, name));
    return [png.readUInt32BE(16), png.readUInt32BE(20)];
  };
  assert.deepEqual(await sizeOf('news.sk.png'), [640, 3000]);
  assert.deepEqual(await sizeOf('order.sk.png'), [640, 200]);
  const [width = 0, height = 0] = await sizeOf('index.png');
  assert.ok(width >= 3 * 640 && height > 3200, `${width} x ${height}`);
});

test('a sink whose port is taken says what to do', async (t) => {
  const other = await openSink();
  t.after(() => other.close());
  const { stderr } = await runCommand(['mail', 'sink', '--port', String(other.port)]);
  assert.match(stderr, /can't listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\): choose another with --port/);
});

test('translations, previews and listeners that can’t be are refused with the file or port that is wrong', async (t) => {
  const directory = await temporaryDirectory(t);
  const list = join(directory, 'list.json');
  const plain = join(directory, 'plain.json');
  await writeFile(list, '[1]');
  await writeFile(plain, '{"Hello": 1}');
  const client = fakeClient({ 'mailtype.extract': { texts: [] }, 'mailtype.preview': {} });
  const said = async (...words: string[]) => (await runCommand(['mail', ...words], { client })).stderr;
  for (const file of [list, plain])
    assert.match(
      await said('import', file, '--locale', 'sk'),
      /\w+\.json has no translations: it must be a list/,
    );
  assert.match(
    await said('extract', '--locale', 'sk', '-o', join(directory, 'none', 'sk.po')),
    /sk\.po can't be written: there is no such file or directory/,
  );
  assert.match(await said('preview', 'order', '-o', list), /list\.json can't be written: .*exists/);
  const nothing = join(directory, 'nothing');
  assert.match(await said('preview', 'order', '-o', nothing, '--values', 'x'), /--values is not JSON/);
  assert.equal(existsSync(nothing), false);
  assert.match(await said('inbound', '--listen', '99999'), /99999 is not a port/);
});

test('a bounce stays in its Maildir until it is taken; what is no mail is put away', async (t) => {
  const directory = await temporaryDirectory(t);
  for (const name of ['new', 'cur']) await mkdir(join(directory, name));
  await writeFile(join(directory, 'new', '1'), 'nonsense');
  await writeFile(join(directory, 'new', '2'), 'Subject: Undelivered\r\n\r\nx');
  let isAway = true;
  const client = fakeClient({
    'mail.report'({ content }: { content: string }) {
      if (Buffer.from(content, 'base64').toString() === 'nonsense')
        throw new PismakError('invalid-input', 'not a mail');
      if (isAway) throw new PismakError('unavailable', 'Pismak is away');
      return { kind: 'bounce', mail: 'm1', isSuppressed: false, reason: 'full' };
    },
  });
  const read = () => runCommand(['mail', 'inbound', directory, '--once'], { client });
  const failed = await read();
  assert.match(failed.stderr, /Pismak is away/);
  assert.deepEqual(
    [await readdir(join(directory, 'new')), await readdir(join(directory, 'cur'))],
    [['2'], ['1:2,S']],
  );
  isAway = false;
  assert.match((await read()).stdout, /^2: bounce of mail m1: full$/m);
  assert.deepEqual(await readdir(join(directory, 'new')), []);
});

test('a worker whose queues nobody else could fill is refused', async () => {
  const { code, stderr, works } = await runCommand(['mail', 'worker', '--memory', '300']);
  assert.deepEqual([code === 0, works.length], [false, 0]);
  assert.match(
    stderr,
    /broker, database, coordination of the settings are embedded; there `pismak up` sends/,
  );
});

test('a demonstration keeps away from the servers of the settings', async () => {
  const client = fakeClient(
    {
      'mailtype.create': {},
      'campaign.create': {},
      'campaign.start': {},
      'mail.send': {},
      'campaign.show': { state: 'done' },
      'mail.show': {},
    },
    { upload: async () => ({ hash: 'a'.repeat(64), size: 1 }) },
  );
  const environment = { PISMAK_DATABASE: 'postgres://shop/db', PISMAK_BROKER: 'amqp://shop' };
  const { works } = await runCommand(['mail', 'demo'], { client, environment, signal: AbortSignal.abort() });
  const { broker, coordination, database, blobs } = works[0]?.settings ?? {};
  assert.deepEqual(
    [broker, coordination, database, blobs],
    ['sqlite:', 'embedded:', 'sqlite:', 'directory:'],
  );
});

test('a demonstration of no size at all is refused', async () => {
  for (const words of [
    ['mail', 'demo', '--recipients', 'many'],
    ['mail', 'demo', '--recipients', '0'],
  ]) {
    const { code, stderr } = await runCommand(words);
    assert.equal(code, 2);
    assert.match(stderr, /it must be a number from 1 to/);
  }
});
