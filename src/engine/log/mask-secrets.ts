/**
 * Masks secrets in a text: credentials of URLs, query parameters that carry secrets, and long random parts of a web
 * address (the secret of a webhook is often in its path) become `***`.
 */
export function maskSecrets(text: string): string {
  return (
    text
      // Up to the last @: a password may contain any character. Hiding too much is better than too little.
      .replaceAll(/\/\/([^/?#\s:@]+):\S*@/g, '//$1:***@')
      .replaceAll(/\/\/[^/?#\s:]*@/g, '//***@')
      .replaceAll(secretParameter, '$1***')
      .replaceAll(/https?:\/\/\S+/g, (url) => url.replaceAll(/(?<=[^/]\/)[\w-]{20,}(?=[/?#]|$)/g, '***'))
  );
}

const secretParameter =
  /([?&;](?:[\w.-]*(?:password|passwd|secret|token|key|signature|credential|auth)[\w.-]*|pw|sig)=)[^&#\s]*/gi;
