import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** A package that is installed with this program. */
export interface InstalledPackage {
  name: string;
  version: string;
  /** As its author declares it, usually an SPDX expression; empty: not declared. */
  licence: string;
}

const about = z.object({
  name: z.string().max(214),
  version: z.string().max(256).default(''),
  license: z.union([z.string(), z.object({ type: z.string() }).transform(({ type }) => type)]).default(''),
});

const most = 2000;
let known: Promise<InstalledPackage[]> | undefined;

/** All packages in the node_modules from which this program runs, by name. Read once. */
export function installedPackages(from: string = import.meta.dirname): Promise<InstalledPackage[]> {
  known ??= find(from);
  return known;
}

async function find(from: string): Promise<InstalledPackage[]> {
  const found: InstalledPackage[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    if (!folder.endsWith('node_modules')) found.push(...(await packagesIn(join(folder, 'node_modules'))));
    if (folder === dirname(folder)) break;
    // The packages of this program are all in one place; those of a program around it are not ours.
    if (found.length > 0) break;
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, most);
}

async function packagesIn(modules: string): Promise<InstalledPackage[]> {
  const folders = await readdir(modules).catch(() => []);
  const found: InstalledPackage[] = [];
  for (const folder of folders.filter((name) => !name.startsWith('.'))) {
    if (folder.startsWith('@')) {
      for (const inner of await readdir(join(modules, folder)))
        found.push(...(await packageAt(join(modules, folder, inner))));
    } else found.push(...(await packageAt(join(modules, folder))));
  }
  return found;
}

async function packageAt(folder: string): Promise<InstalledPackage[]> {
  try {
    const { name, version, license } = about.parse(
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
    );
    return [{ name, version, licence: license }];
  } catch {
    // Not a package.
    return [];
  }
}
