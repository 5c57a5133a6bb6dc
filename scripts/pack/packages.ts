import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** One package built from this repository. */
export interface PackageParts {
  name: string;
  description: string;
  /** Folders of src/ whose files are its own; the complete package has them all. */
  folders: readonly string[];
  /** What programs may import, each with its source below src/. */
  entries: Readonly<Record<string, string>>;
  /** What the command runs, below src/; `houses` = generated: the houses that are installed beside it. */
  command?: string | { houses: readonly string[] };
}

const engineFolders = ['engine', 'terminal', 'server', 'cli'];
/** Each package carries the formats that it reads and writes, so that their libraries are installed only with who needs them. */
const formats = 'formats';
export const engineName = 'pismak-engine';

/** `pismak` with everything, the engine alone, and each house alone. A new house needs nothing here. */
export function listPackages(root: string, description: string): PackageParts[] {
  const houses = globSync('src/*/house.ts', { cwd: root })
    .map((path) => path.split(/[/\\]/)[1] ?? '')
    .filter((name) => !engineFolders.includes(name))
    .sort();
  for (const house of houses) {
    if (!existsSync(join(root, 'src', house, 'index.ts')))
      throw new Error(
        `src/${house}/index.ts is missing: it exports what programs may import as pismak/${house}`,
      );
  }
  const houseEntries = houses.map((house) => [`./${house}`, `${house}/index.ts`]);
  return [
    {
      name: 'pismak',
      description,
      folders: ['', ...engineFolders, formats, ...houses],
      entries: { '.': 'index.ts', './engine': 'engine/index.ts', ...Object.fromEntries(houseEntries) },
      command: 'main.ts',
    },
    {
      name: engineName,
      description:
        'The engine of Pismak without its houses: durable queues, workers, a watchdog, an HTTP API and the command `pismak`',
      folders: [...engineFolders, formats],
      entries: { '.': 'engine/index.ts' },
      command: { houses },
    },
    ...houses.map((house) => ({
      name: `pismak-${house}`,
      description: `The house \`${house}\` of Pismak, on ${engineName}`,
      folders: [house, formats],
      entries: { '.': `${house}/index.ts`, './house': `${house}/house.ts` },
    })),
  ];
}
