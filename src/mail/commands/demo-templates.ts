/** The mails of `mail demo`. */

const frame = (inside: string) => `<mjml>
<mj-body>
<mj-section>
<mj-column>
${inside}
</mj-column>
</mj-section>
</mj-body>
</mjml>
`;

export const orderTemplate =
  frame(`<mj-text font-size="20px">Thank you for order {{ number }}, {{ name }}.</mj-text>
<mj-raw>{% for book in books %}</mj-raw>
<mj-text>{{ book }}</mj-text>
<mj-raw>{% endfor %}</mj-raw>
<mj-button href="{{ mail.onlineUrl }}">Show this mail online</mj-button>`);

export const newsletterTemplate = frame(`<mj-text font-size="20px">Dobrý den, {{ name }}!</mj-text>
<mj-text>Na jaro jsme pro vás vybrali deset knih, které vás překvapí.</mj-text>
<mj-button href="{{ mail.onlineUrl }}">Zobrazit na webu</mj-button>
<mj-text><a href="{{ mail.unsubscribeUrl }}">Odhlásit odběr</a></mj-text>`);
