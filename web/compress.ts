import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** One file of the console, as the server's map has it. */
export interface ConsoleFile {
  /** Below /console/. */
  path: string;
  type: string;
  /** Sizes of its forms in bytes; a form that saves nothing is left out. */
  size: number;
  br?: number;
  gzip?: number;
  etag: string;
  /** The house whose code this is; undefined: the shell's, or shared. */
  house?: string;
  /** What the browser loads with it at once. */
  imports?: string[];
  /** Its source, if a page of its own begins with it: `index.html`, `src/engine/Queues.svelte`. */
  begins?: string;
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** Writes `NAME.br` and `NAME.gz` beside each file. */
export async function compressFiles(directory: string, web: string): Promise<ConsoleFile[]> {
  const list = JSON.parse(readFileSync(join(directory, 'vite.json'), 'utf8')) as Record<string, ViteEntry>;
  const houses = houseOfFiles(list, web);
  const entries = new Map(Object.values(list).map((entry) => [entry.file, entry]));
  rmSync(join(directory, 'vite.json'));
  const names = globSync('**/*', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort();
  return names.map((path) => {
    const bytes = readFileSync(join(directory, path));
    const type = types[path.split('.').at(-1) ?? ''];
    if (type === undefined)
      throw new Error(`the server knows no type for ${path}: add it in web/compress.ts`);
    const br = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
    const gzip = gzipSync(bytes, { level: 9 });
    const saves = (form: Buffer) => form.length < bytes.length * 0.9;
    if (saves(br)) writeFileSync(join(directory, `${path}.br`), br);
    if (saves(gzip)) writeFileSync(join(directory, `${path}.gz`), gzip);
    const house = houses.get(path);
    return {
      path,
      type,
      size: bytes.length,
      ...(saves(br) && { br: br.length }),
      ...(saves(gzip) && { gzip: gzip.length }),
      etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
      ...(house !== undefined && { house }),
      ...loadedWith(list, entries.get(path)),
    };
  });
}

interface ViteEntry {
  file: string;
  src?: string;
  css?: string[];
  assets?: string[];
  imports?: string[];
  isEntry?: boolean;
  isDynamicEntry?: boolean;
}

function loadedWith(list: Record<string, ViteEntry>, entry: ViteEntry | undefined): Partial<ConsoleFile> {
  if (!entry) return {};
  const { css = [], imports = [], isEntry, isDynamicEntry, src } = entry;
  const files = [...css, ...imports.flatMap((key) => list[key]?.file ?? [])];
  return {
    ...(files.length > 0 && { imports: files }),
    ...((isEntry || isDynamicEntry) && src !== undefined && { begins: src }),
  };
}

/** A file whose source is in a folder of a house belongs to it. The shell's own folders are no houses. */
function houseOfFiles(list: Record<string, ViteEntry>, web: string): Map<string, string> {
  const houses = globSync('src/*/house.ts', { cwd: web }).flatMap((path) => {
    const name = path.split('/')[1] ?? '';
    return readFileSync(join(web, path), 'utf8').includes(`name: '${name}'`) ? [name] : [];
  });
  const found = new Map<string, string>();
  for (const { file, src, css = [], assets = [] } of Object.values(list)) {
    const house = houses.find((name) => src?.startsWith(`src/${name}/`));
    if (house !== undefined) for (const one of [file, ...css, ...assets]) found.set(one, house);
  }
  return found;
}
