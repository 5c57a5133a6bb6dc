/**
 * Masks secrets in a text: credentials of URLs, query parameters that carry secrets, and long random parts of a web
 * address (the secret of a webhook is often in its path) become `***`.
 */
export function maskSecrets(text: string): string {
  const withoutCredentials = text.includes('@')
    ? text.replaceAll(/(?<!\S)\S*@/g, withoutPassword).replaceAll(/\/\/[^/?#\s:]*@/g, '//***@')
    : text;
  return withoutParameters(withoutCredentials).replaceAll(/https?:\/\/\S+/g, (url) =>
    url.replaceAll(/(?<=[^/]\/)[\w-]{20,}(?=[/?#]|$)/g, '***'),
  );
}

/** The word ends with its last @: a password may contain any character. Hiding too much is better than too little. */
function withoutPassword(word: string): string {
  const found = /\/\/[^/?#:@]+:/.exec(word);
  return found ? `${word.slice(0, found.index)}${found[0]}***@` : word;
}

const parameter = /[?&;]([\w.-]+)=/g;
const isSecret = /password|passwd|secret|token|key|signature|credential|auth|^pw$|^sig$/i;
const endOfValue = /[&#\s]|$/g;

function withoutParameters(text: string): string {
  let shown = '';
  let end = 0;
  for (const { 0: key, 1: name = '', index } of text.matchAll(parameter)) {
    if (index < end || !isSecret.test(name)) continue;
    const value = index + key.length;
    shown += `${text.slice(end, value)}***`;
    endOfValue.lastIndex = value;
    end = endOfValue.exec(text)?.index ?? text.length;
  }
  return shown + text.slice(end);
}
