import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMailHouse } from '../testing/running-mail.ts';
import { extractTexts } from './extract.ts';
import { pluralIndex } from './plural.ts';
import { pluralRules } from './plural-rules.ts';
import { readPo, writePo } from './po-file.ts';

const template = `<p>{{ 'Hello' | t }}</p>\n<p>{{ n }} {{ 'one piece' | t: "pieces", n }}</p>\n{% assign x = 'Thanks' | t %}{{ x }} {{ 'not' | upcase }} 'no' | t`;
const type = { code: 'order', template, text: undefined, subject: "{{ 'Hello' | t }}" };

test('texts are found with their lines, each once; plain text and other filters are not', async () => {
  assert.deepEqual(await extractTexts([type]), [
    {
      text: 'Hello',
      plural: undefined,
      places: ['order:1', 'order/subject:1'],
      context: "<p>{{ 'Hello' | t }}</p>",
    },
    {
      text: 'one piece',
      plural: 'pieces',
      places: ['order:2'],
      context: `<p>{{ n }} {{ 'one piece' | t: "pieces", n }}</p>`,
    },
    { text: 'Thanks', plural: undefined, places: ['order:3'], context: template.split('\n')[2] },
  ]);
});

test('a template of half a megabyte with nothing but texts takes a moment', async () => {
  const texts = Array.from({ length: 20_000 }, (_, n) => `{{ 'text ${n}' | t }}\n`).join('');
  const before = process.threadCpuUsage();
  const found = await extractTexts([{ code: 'order', template: texts, text: undefined, subject: '' }]);
  const { user, system } = process.threadCpuUsage(before);
  assert.deepEqual(found.at(-1)?.places, ['order:20000']);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`);
});

test('a PO file comes back as it was written, with three plural forms in Czech', async () => {
  const texts = (await extractTexts([type])).map((each) => ({
    ...each,
    translations: each.plural ? ['kus', 'kusy', 'kusů'] : ['"Dobrý"\nden'],
  }));
  const po = await writePo('cs', texts);
  assert.match(
    po,
    /#: order:2\n#\. <p>\{\{ n \}\} .*<\/p>\nmsgid "one piece"\nmsgid_plural "pieces"\nmsgstr\[0\] "kus"\nmsgstr\[1\] "kusy"\nmsgstr\[2\] "kusů"/,
  );
  assert.deepEqual(await readPo(po), {
    Hello: '"Dobrý"\nden',
    'one piece': ['kus', 'kusy', 'kusů'],
    Thanks: '"Dobrý"\nden',
  });
  // Gettext's tools guess such translations, and nobody has checked them.
  assert.deepEqual(Object.keys(await readPo(po.replace('msgid "Thanks"', '#, fuzzy\nmsgid "Thanks"'))), [
    'Hello',
    'one piece',
  ]);
});

test('a PO file has the plural rule of its language, as gettext writes it and as mails choose', async () => {
  const text = { text: 'one piece', plural: 'pieces', places: ['order:1'], context: 'x', translations: [] };
  for (const language of [...Object.keys(pluralRules), 'en', 'de', 'fr', 'pt-BR', 'ja', 'hi', 'cs-CZ']) {
    const po = (await writePo(language, [text])).replaceAll('"\n"', '');
    const [, count, rule = ''] = /nplurals=(\d); plural=(.*);\\n/.exec(po) ?? [];
    assert.equal(po.match(/^msgstr\[/gm)?.length, Number(count), language);
    const chosen = new Function('n', `return Number(${rule})`);
    for (let n = 0; n <= 1100; n++) assert.equal(chosen(n), pluralIndex(language, n), `${language} ${n}`);
  }
});

test('translations are extracted, imported, and used; what is missing is listed; a preview has the design that it is asked for', async (t) => {
  const { call, server, admin } = await runMailHouse(t, { senders: false });
  // Nobody sends in this process, but its relays are known.
  assert.equal((await call('relay.ls', {})).relays[0].state, 'unused');
  await call('mailtype.create', { code: 'parts', sender: 'a@example.org', subject: type.subject, template });
  const { texts } = await call('mailtype.extract', { language: 'cs' });
  assert.deepEqual(
    texts.map(({ translations }: { translations: string[] }) => translations),
    [[], [], []],
  );
  const translations = { Hello: 'Dobrý den', 'one piece': ['kus', 'kusy', 'kusů'], Nonsense: 'x' };
  const answer = await call('mailtype.translate', { language: 'cs', translations });
  assert.deepEqual(answer, { types: ['parts'], texts: 2, unused: ['Nonsense'] });
  const shown = await call('mailtype.preview', { code: 'parts', language: 'cs', values: { n: 3 } });
  assert.deepEqual([shown.subject, shown.missing], ['Dobrý den', 'Thanks']);
  assert.match(shown.html, /<p>3 kusy<\/p>/);

  const designs = { 'shop.cz': { colour: 'red' }, '': { colour: 'grey' } };
  const update = { code: 'order', template: '<p>{{ design.colour }}</p>', designs };
  await call('mailtype.update', update);
  const html = async (input: object) =>
    (await call('mailtype.preview', { code: 'order', ...input })).html.trim();
  assert.equal(await html({ design: 'shop.cz' }), '<p>red</p>');
  assert.equal(await html({}), '<p>grey</p>');
  const { status, body } = await server.call('mailtype.preview', { code: 'order', design: 'shop.de' }, admin);
  assert.deepEqual(
    [status, body.error.message],
    [400, 'mail type order has no design shop.de; it has shop.cz'],
  );
});
