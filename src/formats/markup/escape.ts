/** Safe in text and attributes. Characters that XML forbids, such as control characters and lone surrogates, are dropped. */
export function escapeXml(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(illegal, '').replaceAll(special, (character) => entities[character] ?? '');
}

/** Matches nearly all text: one test instead of two replacements that change nothing. */
const plain = /^[ !#-%(-;=?-~\u00a0-\ud7ff]*$/;
const illegal = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const special = /[&<>"'\t\n\r]/g;
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // Escaped, because parsers turn them into spaces in attributes.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Safe in texts and quoted attributes of HTML. The entities are those that Liquid writes, so mails are the same either way. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (character) => html[character] ?? '') : text;
}

const html: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};
