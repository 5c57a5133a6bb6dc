import { maskSecrets } from '../log/mask-secrets.ts';

/** The input as an audit record shows it: limited in size, without secrets, always valid JSON. */
export function maskInput(input: unknown, secrets: readonly string[] = []): string {
  const text = JSON.stringify(mask(input, new Set(secrets), 0)) ?? 'null';
  return text.length <= longestRecord
    ? text
    : JSON.stringify({ truncated: text.slice(0, longestRecord / 2) });
}

const longestRecord = 4000;
const longestText = 200;
const mostEntries = 20;
const deepest = 6;

/** Hidden whatever the operation declares: users may put a secret where it doesn't belong. */
const secretName = /password|token|secret|credential/i;

function mask(value: unknown, secrets: ReadonlySet<string>, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (value === null || typeof value !== 'object') return typeof value === 'bigint' ? String(value) : value;
  if (depth >= deepest) return '...';
  if (Array.isArray(value)) {
    const shown = value.slice(0, mostEntries).map((entry) => mask(entry, secrets, depth + 1));
    return value.length > mostEntries ? [...shown, `... ${value.length - mostEntries} more`] : shown;
  }
  const entries = Object.entries(value).slice(0, mostEntries * 2);
  return Object.fromEntries(
    entries.map(([name, entry]) => [
      maskText(name),
      secrets.has(name) || secretName.test(name) ? '***' : mask(entry, secrets, depth + 1),
    ]),
  );
}

function maskText(text: string): string {
  if (text.length <= longestText) return maskSecrets(text);
  // A long text is usually the content of a file; its length is enough.
  return `${maskSecrets(text.slice(0, longestText)).slice(0, 40)}... (${text.length} characters)`;
}
