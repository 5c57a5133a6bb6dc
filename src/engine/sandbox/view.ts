import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Something that a confined process sees. Later entries lie over earlier ones. */
export type Entry =
  /** Read-only. */
  | { read: string }
  /** Another directory of ours, at this place. */
  | { write: string; at: string }
  | { link: string; to: string }
  /** An empty directory in memory, which may be filled up to `largestEmpty`. */
  | { empty: string }
  /** A file that appears empty. */
  | { blank: string }
  /** A device, or a directory of them. */
  | { device: string };

/** What a confined process sees of this machine: these entries, a new /dev and /proc, and nothing else. */
export interface View {
  entries: readonly Entry[];
  network: boolean;
  /** Whether it may confine programs of its own. */
  nests: boolean;
}

export const largestEmpty = 256 * 1024 * 1024;

const programRoot = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

/** The files of this program: its source, and the packages that it may use. */
export function programFiles(): string[] {
  const found = [join(programRoot, 'src'), join(programRoot, 'package.json')];
  for (let folder = programRoot; ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules'));
    if (folder === dirname(folder)) break;
  }
  const covers = (folder: string) => process.execPath.startsWith(`${folder}/`);
  if (![...found, '/usr'].some(covers)) found.push(dirname(process.execPath));
  return found.filter((path) => existsSync(path));
}

/** Libraries of the system: those of native packages, and programs. */
const system = ['bin', 'lib', 'lib32', 'lib64', 'libx32', 'sbin', 'usr', 'nix'];

/** For code that decodes a file and needs nothing else: libraries, this program, and an empty /tmp. */
export function decoderView(compileCache: string | undefined): View {
  const entries: Entry[] = topLevel((name) => system.includes(name));
  if (existsSync('/etc/ld.so.cache')) entries.push({ read: '/etc/ld.so.cache' });
  entries.push({ empty: '/tmp' }, ...programFiles().map((read) => ({ read })));
  if (compileCache !== undefined && existsSync(compileCache)) entries.push({ read: compileCache });
  return { entries, network: false, nests: false };
}

/** The directories at the top of the file system, which may be links. */
export function topLevel(isWanted: (name: string) => boolean): Entry[] {
  return readdirSync('/', { withFileTypes: true }).flatMap((entry): Entry[] => {
    if (!isWanted(entry.name)) return [];
    const path = `/${entry.name}`;
    if (entry.isSymbolicLink()) return [{ link: path, to: readlinkSync(path) }];
    return entry.isDirectory() ? [{ read: path }] : [];
  });
}
