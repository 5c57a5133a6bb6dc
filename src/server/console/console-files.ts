import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** One file of the built console, and which compressed forms stand beside it. */
export interface ConsoleFile {
  type: string;
  etag: string;
  encodings: readonly ('br' | 'gzip')[];
  read(encoding: 'br' | 'gzip' | undefined): Promise<Buffer>;
}

/** A build: the page, and a map of all its files. What is not in the map does not exist, so no path leads out of it. */
export interface ConsoleBuild {
  build: string;
  files: ReadonlyMap<string, ConsoleFile>;
}

const list = z.object({
  build: z.string().regex(/^[0-9a-f]{12}$/),
  files: z.array(
    z.object({
      path: z.string(),
      type: z.string(),
      etag: z.string(),
      br: z.number().optional(),
      gzip: z.number().optional(),
    }),
  ),
});

const endings = { br: '.br', gzip: '.gz' } as const;

/** In a checkout the console is built into web/dist; a package has it beside its code. */
const builtInto = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? '../../../web/dist' : '../../console',
);

/**
 * The newest build in `directory`, with the parts of houses that are packages of their own; undefined while there is none. A check costs
 * one `stat`, because a checkout may be built while it runs.
 */
export function consoleFiles(
  directory: string = builtInto,
  ofHouses: readonly string[] = [],
): () => ConsoleBuild | undefined {
  let known: { at: number; build: ConsoleBuild } | undefined;
  return () => {
    const at = statSync(join(directory, 'console.json'), { throwIfNoEntry: false })?.mtimeMs;
    if (at === undefined) return undefined;
    if (known?.at !== at) known = { at, build: joined(directory, ofHouses) };
    return known.build;
  };
}

/** A house's part of another build is left out: its files would not fit. */
function joined(directory: string, ofHouses: readonly string[]): ConsoleBuild {
  const own = readBuild(directory);
  const parts = ofHouses
    .filter((part) => existsSync(join(part, 'console.json')))
    .map(readBuild)
    .filter(({ build }) => build === own.build);
  return { ...own, files: new Map([own, ...parts].flatMap(({ files }) => [...files])) };
}

function readBuild(directory: string): ConsoleBuild {
  const { build, files } = list.parse(JSON.parse(readFileSync(join(directory, 'console.json'), 'utf8')));
  const fileOf = ({ path, type, etag, br, gzip }: (typeof files)[number]): ConsoleFile => ({
    type,
    etag: `"${etag}"`,
    encodings: [
      ...(br === undefined ? [] : ['br' as const]),
      ...(gzip === undefined ? [] : ['gzip' as const]),
    ],
    read: (encoding) => readFile(join(directory, build, path + (encoding ? endings[encoding] : ''))),
  });
  return { build, files: new Map(files.map((file) => [file.path, fileOf(file)])) };
}
