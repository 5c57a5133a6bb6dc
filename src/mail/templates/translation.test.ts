import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runMailHouse } from '../testing/running-mail.ts';
import { extractTexts } from './extract.ts';
import { readPo, writePo } from './po-file.ts';

const template = `<p>{{ 'Hello' | t }}</p>\n<p>{{ n }} {{ 'one piece' | t: "pieces", n }}</p>\n{% assign x = 'Thanks' | t %}{{ x }} {{ 'not' | upcase }} 'no' | t`;
const type = { code: 'order', template, text: undefined, subject: "{{ 'Hello' | t }}" };

test('texts are found with their lines, each once; plain text and other filters are not', () => {
  assert.deepEqual(extractTexts([type]), [
    { text: 'Hello', plural: undefined, places: ['order:1', 'order (subject):1'] },
    { text: 'one piece', plural: 'pieces', places: ['order:2'] },
    { text: 'Thanks', plural: undefined, places: ['order:3'] },
  ]);
});

test('a PO file comes back as it was written, with three plural forms in Czech', async () => {
  const texts = extractTexts([type]).map((each) => ({
    ...each,
    translations: each.plural ? ['kus', 'kusy', 'kusů'] : ['"Dobrý"\nden'],
  }));
  const po = await writePo('cs', texts);
  assert.match(
    po,
    /#: order:2\nmsgid "one piece"\nmsgid_plural "pieces"\nmsgstr\[0\] "kus"\nmsgstr\[1\] "kusy"\nmsgstr\[2\] "kusů"/,
  );
  assert.deepEqual(await readPo(po), {
    Hello: '"Dobrý"\nden',
    'one piece': ['kus', 'kusy', 'kusů'],
    Thanks: '"Dobrý"\nden',
  });
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
