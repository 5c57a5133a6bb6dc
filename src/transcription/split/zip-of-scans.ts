import { PismakError } from '../../engine/ground/errors.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import { openZip, type Zip, type ZipLimits } from '../../formats/zip/read-zip.ts';

/**
 * The files of a ZIP in the natural order of their names (2 before 10), without directories and system metadata files. Names are
 * sanitised, and for people only. What is wrong with the ZIP is a permanent failure.
 */
export async function openZipOfScans(path: string, limits: ZipLimits): Promise<Zip> {
  const zip = await openZip(path, limits).catch(fail);
  const entries = zip.entries
    .filter(({ name }) => !name.endsWith('/') && !isNote(name))
    .sort((one, other) => natural.compare(one.name, other.name))
    .map((entry): Zip['entries'][number] => ({
      name: harmless(entry.name),
      size: entry.size,
      head: () => entry.head().catch(fail),
      content: () => entry.content().catch(fail),
      save: (to) => entry.save(to).catch(fail),
    }));
  return { entries, close: zip.close };
}

const natural = new Intl.Collator('cs', { numeric: true });

function isNote(name: string): boolean {
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  return parts[0] === '__MACOSX' || last.startsWith('.') || /^(thumbs\.db|desktop\.ini)$/i.test(last);
}

/** Names are shown to people: no path traversal, no line breaks, no terminal control characters. */
function harmless(name: string): string {
  const parts = name.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  const text = parts.join('/').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ');
  return text.trim().slice(0, 255) || 'unnamed file';
}

function fail(error: unknown): never {
  if (error instanceof PismakError && error.code === 'invalid-input')
    throw new PermanentFailure(error.message);
  throw error;
}
