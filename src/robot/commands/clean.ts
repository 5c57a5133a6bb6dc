import { readdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { makeDirectory } from '../../engine/files/make-directory.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Shell } from '../../terminal/shell.ts';
import { readInput } from './read-input.ts';

interface Options {
  output?: string;
  main?: boolean;
  charset?: string;
  encoding: string;
}

const page = /\.html?(?:\.gz)?$/i;

/** `pismak robot clean`: the text of pages. */
export function addClean(group: Command, shell: Shell): void {
  shell
    .command(
      group,
      'clean <file>',
      'Print the text of a page or document, or write the texts of all pages of a directory (.html, .html.gz) into files',
      'robot clean page.html',
      'robot clean --main - < page.html',
      'robot clean pages/ -o texts/',
    )
    .option(
      '-o, --output <directory>',
      'write NAME.txt here for each NAME.html or NAME.html.gz; required for a directory. Pages with the same NAME keep their endings: NAME.html.gz.txt',
    )
    .option('--main', 'only the main text, without menus, advertisements and comments')
    .option('--charset <charset>', 'read pages in this charset, whatever they declare')
    .option('--encoding <encoding>', 'encoding of the text: utf-8 or iso-8859-2', 'utf-8')
    .action(
      shell.run<Options>(async ({ options, out, signal, stderr }, path = '') => {
        const textOf = await cleaner(options);
        const isDirectory = path !== '-' && (await kindOf(path)) === 'directory';
        if (!isDirectory && options.output === undefined) {
          out.text(await textOf(await readInput(path)));
          return;
        }
        const { output } = options;
        if (output === undefined)
          throw new PismakError('invalid-input', `${path} is a directory: name an output directory with -o`);
        await openOutputDirectory(output);
        const { encodeText } = await import('../text/html/encode-text.ts');
        const encoding = encodingOf(options.encoding);
        const files = isDirectory ? await pagesIn(path) : [path];
        const names = files.map((file) =>
          isDirectory ? relative(path, file) : basename(file === '-' ? 'page.html' : file),
        );
        const targets = textFiles(names);
        let broken = 0;
        for (const [index, file] of files.entries()) {
          signal.throwIfAborted();
          const target = join(output, targets[index] ?? '');
          const bytes = await readInput(file).catch((error: unknown) => {
            if (!isDirectory) throw error;
            stderr.write(`${messageOf(error)}\n`);
            return undefined;
          });
          if (bytes === undefined) broken++;
          else {
            await makeDirectory(dirname(target));
            await writeFile(target, encodeText(`${await textOf(bytes)}\n`, encoding));
          }
        }
        out.say(`${formatCount(files.length - broken, 'text')} in ${output}`);
        if (broken > 0)
          throw new PismakError('invalid-input', `${formatCount(broken, 'page')} could not be read`);
      }),
    );
}

/** Names the file of each text. Pages whose names differ only in the ending keep it, so that no text replaces another. */
function textFiles(names: readonly string[]): string[] {
  const bare = names.map((name) => name.replace(page, ''));
  const counts = new Map<string, number>();
  for (const name of bare) counts.set(name, (counts.get(name) ?? 0) + 1);
  return bare.map((name, index) => `${counts.get(name) === 1 ? name : names[index]}.txt`);
}

type TextOf = (bytes: Uint8Array) => Promise<string>;

const documents = new Set<string | undefined>(['pdf', 'doc', 'docx', 'odt', 'rtf', 'pptx']);

async function cleaner({ main, charset, encoding }: Options): Promise<TextOf> {
  encodingOf(encoding);
  const { cleanHtml } = await import('../text/html/clean-html.ts');
  const { isKnownCharset } = await import('../text/html/charset.ts');
  if (charset !== undefined && !isKnownCharset(charset))
    throw new PismakError('invalid-input', `${charset} is not a known charset; try utf-8 or windows-1250`);
  const formats = await import('../text/formats/convert.ts');
  const url = 'http://localhost/';
  return async (bytes) => {
    if (documents.has(formats.kindOf(bytes, { url })))
      return (await formats.convertDocument(bytes, { url }))?.text ?? '';
    const { text, mainText } = cleanHtml(bytes, { url, charset, main });
    return main === true ? (mainText ?? '') : text;
  };
}

function encodingOf(name: string): 'utf-8' | 'iso-8859-2' {
  const lower = name.toLowerCase();
  if (lower === 'utf-8' || lower === 'iso-8859-2') return lower;
  throw new PismakError('invalid-input', `--encoding is utf-8 or iso-8859-2, not ${name}`);
}

async function kindOf(path: string): Promise<'directory' | 'file'> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch (cause) {
    throw new PismakError('not-found', `can't read ${path}; check its name and permissions`, { cause });
  }
}

async function pagesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && page.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
