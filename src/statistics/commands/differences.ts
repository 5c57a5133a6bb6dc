/**
 * The differences between an answer and what was expected, one line each. Objects may have more fields than expected; lists must have
 * the same elements in the same order.
 */
export function differences(expected: unknown, got: unknown, path = ''): string[] {
  const place = path === '' ? 'the answer' : path;
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return [`${place} is ${shown(got)}, not a list`];
    const length =
      expected.length === got.length ? [] : [`${place} has ${got.length} elements, not ${expected.length}`];
    const both = expected.slice(0, got.length);
    return [...length, ...both.flatMap((one, index) => differences(one, got[index], `${path}[${index}]`))];
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof got !== 'object' || got === null || Array.isArray(got))
      return [`${place} is ${shown(got)}, not an object`];
    const fields = got as Record<string, unknown>;
    return Object.entries(expected).flatMap(([name, one]) =>
      differences(one, fields[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return Object.is(expected, got) ? [] : [`${place} is ${shown(got)}, not ${shown(expected)}`];
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value);
}
