import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileTemplate } from './compile.ts';
import { pluralForms } from './plural.ts';

const basis = {
  code: 'order',
  subject: 'Order {{ number }}',
  translations: {},
  language: 'en',
  text: undefined,
};
const mjml = (inside: string) =>
  `<mjml>\n<mj-body>\n<mj-section>\n<mj-column>\n${inside}\n</mj-column>\n</mj-section>\n</mj-body>\n</mjml>`;

test('MJML becomes HTML, the text part is derived from it, and data is escaped in HTML only', async () => {
  const loop =
    '<mj-raw>{% for item in items %}</mj-raw><mj-text>{{ item }}</mj-text><mj-raw>{% endfor %}</mj-raw>';
  const template = mjml(
    `<mj-text>Hello {{ name }}</mj-text>${loop}<mj-button href="{{ mail.onlineUrl }}">See</mj-button>`,
  );
  const compiled = await compileTemplate({ ...basis, template }, 'en');
  const { subject, html, text } = compiled.render({
    number: 7,
    name: 'A & B',
    items: ['one', 'two'],
    mail: { onlineUrl: 'https://x.org/m/1' },
  });
  assert.equal(subject, 'Order 7');
  assert.match(html, /Hello A &amp; B/);
  assert.match(html, /href="https:\/\/x\.org\/m\/1"/);
  assert.doesNotMatch(html, /\{[{%]/);
  assert.match(text, /Hello A & B\s+one\s+two\s+See \[https:\/\/x\.org\/m\/1\]/);
});

test('colours of MJML may come from the design; a wrong colour is refused', async () => {
  const template = (colour: string) =>
    `<mjml><mj-body><mj-section background-color="${colour}"><mj-column><mj-text>x</mj-text></mj-column></mj-section></mj-body></mjml>`;
  const compile = (colour: string) => compileTemplate({ ...basis, template: template(colour) }, 'en');
  const fromDesign = await compile("{{ design.colour | default: '#fff' }}");
  assert.match(fromDesign.render({ design: { colour: '#ffeecc' } }).html, /background:#ffeecc;/);
  assert.match(fromDesign.render({}).html, /background:#fff;/);
  await assert.rejects(compile('reddish'), /line 1: .*background-color.*reddish/);
});

test('Czech has three plural forms, English two; what is not translated stays visible and is listed', async () => {
  assert.deepEqual([pluralForms('cs').length, pluralForms('en').length, pluralForms('pl').length], [3, 2, 3]);
  const translations = { cs: { Hello: 'Dobrý den', 'one piece': ['kus', 'kusy', 'kusů'] } };
  const template = `{{ 'Hello' | t }}, {{ n }} {{ 'one piece' | t: 'pieces', n }}, {{ 'Thanks' | t }}`;
  const czech = await compileTemplate({ ...basis, template, translations }, 'cs');
  const say = (n: number) => czech.render({ n }).html;
  assert.deepEqual(
    [say(1), say(3), say(5)],
    ['Dobrý den, 1 kus, Thanks', 'Dobrý den, 3 kusy, Thanks', 'Dobrý den, 5 kusů, Thanks'],
  );
  assert.deepEqual([...czech.missing], ['Thanks']);
  const english = await compileTemplate({ ...basis, template, translations }, 'en');
  assert.equal(english.render({ n: 5 }).html, 'Hello, 5 pieces, Thanks');
});

test('data that goes through the translation is not kept for ever', async () => {
  const compiled = await compileTemplate({ ...basis, template: '{{ name | t }}' }, 'cs');
  for (let number = 0; number < 2000; number++) compiled.render({ name: `Anna ${number}` });
  assert.equal(compiled.missing.size, 1000);
});

test('a mistake is reported with the line of the template as its author wrote it', async () => {
  const broken = mjml('<mj-text>\n{% if x %}</mj-text>');
  await assert.rejects(
    compileTemplate({ ...basis, template: broken }, 'en'),
    /template order, line 6: tag .*if x.* not closed/,
  );
  await assert.rejects(
    compileTemplate({ ...basis, template: mjml('<mj-nonsense/>') }, 'en'),
    /line 5.*mj-nonsense/,
  );
  const unknown = mjml('<mj-text>\n{{ n | nosuch }}</mj-text>');
  await assert.rejects(
    compileTemplate({ ...basis, template: unknown }, 'en'),
    /line 6: undefined filter: nosuch/,
  );
});

test('a template can neither read files, nor reach prototypes, nor run for ever', async () => {
  const compile = (template: string) => compileTemplate({ ...basis, template }, 'en');
  await assert.rejects(async () => (await compile("{% include '/etc/passwd' %}")).render({}), /line 1/);
  assert.equal((await compile('{{ x.constructor.name }}')).render({ x: {} }).html, '');
  const endless = await compile(
    '{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}',
  );
  assert.throws(() => endless.render({}), /line 1: .*limit/);
});

test('a subject stays one line, whatever the data is', async () => {
  const compiled = await compileTemplate({ ...basis, template: 'x' }, 'en');
  assert.equal(
    compiled.render({ number: '7\r\nBcc: thief@example.org' }).subject,
    'Order 7 Bcc: thief@example.org',
  );
});

test('styles of plain HTML move into its elements; media queries stay, and Liquid comes out as it went in', async () => {
  const template = `<html><head><style>
    .price { color: {{ design.colour }}; } p > b { font-weight: 900 }
    @media (max-width: 600px) { .price { font-size: 20px } }
  </style></head><body><table>{% for item in items %}<tr {% if item.new %}class="price"{% endif %}><td class="price">{{ item.name }}</td></tr>{% endfor %}</table>
  <p>{% if items.size < 3 %}few{% endif %} <b>items</b></p></body></html>`;
  const compiled = await compileTemplate({ ...basis, template }, 'en');
  const { html } = compiled.render({
    design: { colour: '#123456' },
    items: [{ name: 'A & B', new: true }, { name: 'C' }],
  });
  assert.match(html, /<td class="price" style="color: #123456;">A &amp; B<\/td>/);
  assert.match(html, /<b style="font-weight: 900;">items<\/b>/);
  assert.match(html, /@media \(max-width: 600px\)/);
  assert.match(html, /<p>few /);
  assert.equal(html.match(/<tr /g)?.length, 2);
});

const pieces = [
  'Žluťoučký kůň ',
  'line\n',
  ' \n',
  '.',
  '\n.',
  '<b>',
  '=',
  'x'.repeat(80),
  '{{ name }}',
  '{{- name -}}',
  '{{ a.b }}',
  '{{ a }}',
  '{{ list }}',
  '{{ list.size }}',
  '{{ missing.deep }}',
  '{{ name | upcase }}',
  "{{ 'Hello' | t }}",
  '{{ number }}',
  '{{ yes }}',
  '{% if yes %}{{ name }}{% else %}no{% endif %}',
  '{% for x in list %}{{ x }}, {% endfor %}',
  '{% assign v = name %}',
  '{{ v }}',
  '{% capture c %}<i>{{ name }}</i>{% endcapture %}',
  '{{ c }}',
  '{{ name.length }}',
  '{{ nil }}',
  '{{ constructor }}',
];

test('what is sent is what Liquid renders, however the template is cut into pieces', async () => {
  const { Liquid } = await import('liquidjs');
  const plain = new Liquid({ ownPropertyOnly: true, outputEscape: 'escape' });
  plain.registerFilter('t', (text) => `[${text}]`);
  const templates = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((some) => some.join(''));
  const values = fc.record({
    name: fc.string({ unit: 'binary', maxLength: 90 }),
    number: fc.integer(),
    yes: fc.boolean(),
    list: fc.array(fc.string(), { maxLength: 3 }),
    a: fc.record({ b: fc.oneof(fc.string(), fc.constant(null)) }),
  });
  await fc.assert(
    fc.asyncProperty(templates, values, async (template, given) => {
      // A lone carriage return before a line feed is cut in two.
      const withoutReturns = (_: string, value: unknown) =>
        typeof value === 'string' ? value.replaceAll('\r', '') : value;
      const data = JSON.parse(JSON.stringify(given, withoutReturns));
      const laidOut = { html: template, text: '' };
      const type = { ...basis, template, laidOut, subject: 'x', translations: { cs: { Hello: '[Hello]' } } };
      const compiled = await compileTemplate(type, 'cs');
      const expected = plain.parseAndRenderSync(template, data);
      assert.equal(compiled.render(data).html, expected);
      const lines = compiled.encode(data).html.toString('latin1').split('\r\n');
      for (const line of lines) assert.ok(line.length <= 76 && !line.startsWith('.'), line);
      assert.equal(
        decoded(lines.join('\r\n')).replaceAll('\r\n', '\n'),
        expected.toWellFormed().replaceAll('\r\n', '\n'),
      );
    }),
    { numRuns: 300 },
  );
});

function decoded(text: string): string {
  const joined = text.replaceAll('=\r\n', '');
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
