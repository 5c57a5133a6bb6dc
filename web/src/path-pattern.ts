export type Parameters = Readonly<Record<string, string | undefined>>;
export type Pattern = (path: string) => Parameters | undefined;

/** Reads addresses such as `crawls/:id/:tab?`. A part is decoded: names of queues may have a slash in them. */
export function patternOf(pattern: string): Pattern {
  const parts = pattern.split('/').filter((part) => part !== '');
  const least = parts.filter((part) => !part.endsWith('?')).length;
  return (path) => {
    const given = path.split('/').filter((part) => part !== '');
    if (given.length < least || given.length > parts.length) return undefined;
    const found: Record<string, string | undefined> = {};
    for (const [index, part] of parts.entries()) {
      const value = given[index];
      if (part.startsWith(':')) found[part.slice(1).replace(/\?$/, '')] = value && decoded(value);
      else if (part !== value) return undefined;
    }
    return found;
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
