/** The mail that everything here sends: personalised Czech HTML and text of about 6 KB. */
const paragraph =
  '<mj-text>Dobrý den, {{ name }}, na jaro jsme pro vás vybrali knihy, které vás překvapí: příliš žluťoučký kůň úpěl ' +
  'ďábelské ódy za {{ price }} Kč.</mj-text>';

export const newsType = {
  code: 'news',
  sender: 'Knihy <knihy@example.org>',
  subject: 'Jarní nabídka pro {{ name }}',
  class: 'bulk',
  language: 'cs',
  template: `<mjml><mj-body><mj-section><mj-column>${paragraph.repeat(3)}<mj-button href="{{ mail.onlineUrl }}">Zobrazit</mj-button></mj-column></mj-section></mj-body></mjml>`,
};

export const orderType = {
  ...newsType,
  code: 'order',
  class: 'transactional',
  subject: 'Objednávka {{ name }}',
};

/** An audience as CSV, made while it is read. */
export async function* audience(count: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('email,name,price\n');
  for (let start = 0; start < count; start += 500) {
    const lines = Array.from({ length: Math.min(500, count - start) }, (_, index) => person(start + index));
    yield Buffer.from(lines.join(''));
  }
}

function person(index: number): string {
  return `ctenar${index}@example${index % 20}.org,Žofie Čtenářová ${index},${100 + (index % 900)}\n`;
}
