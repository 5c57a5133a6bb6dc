import { dirname, join } from 'node:path';
import { readJson } from '../../engine/files/read-json.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const neededNode = 24;

export function checkNode(version = process.versions.node): Finding {
  const major = Number(version.split('.')[0]);
  if (major >= neededNode) return ok('node', `version ${version}`);
  return fail('node', `version ${version}`, `install Node ${neededNode} or newer (nodejs.org)`);
}

interface Lock {
  packages: Record<string, { version?: string; optional?: boolean; dev?: boolean }>;
}

/** Checks a checkout against its lock file, and an installed package against the dependencies that it names. */
export async function checkPackages(directory = root): Promise<Finding> {
  const advice = `run \`npm install\` in ${directory}`;
  const wanted = (await readJson(join(directory, 'package-lock.json'))) as Lock | undefined;
  if (!wanted) return checkDependencies(directory);
  const installed = (await readJson(join(directory, 'node_modules', '.package-lock.json'))) as
    | Lock
    | undefined;
  if (!installed) return fail('packages', 'no packages are installed', advice);
  const wrong = Object.entries(wanted.packages).flatMap(([path, { version, optional, dev }]) => {
    if (path === '' || optional || dev) return [];
    const found = installed.packages[path]?.version;
    return found === version
      ? []
      : [`${path.replace(/^.*node_modules\//, '')} ${found ?? 'missing'} (${version} wanted)`];
  });
  return wrong.length === 0 ? ok('packages', 'as the lock file says') : differing(wrong, advice);
}

async function checkDependencies(directory: string): Promise<Finding> {
  const manifest = (await readJson(join(directory, 'package.json'))) as
    | { dependencies?: Record<string, string> }
    | undefined;
  if (!manifest)
    return warn('packages', 'package-lock.json and package.json are missing', 'install Pismak again');
  const wrong: string[] = [];
  for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
    const found = await installedVersion(name, directory);
    if (found !== version) wrong.push(`${name} ${found ?? 'missing'} (${version} wanted)`);
  }
  if (wrong.length === 0) return ok('packages', 'as the package says');
  return differing(wrong, 'run `npm install` in the project that uses Pismak');
}

/** The version of the copy that Node finds from `directory`: in the nearest node_modules upwards that has one. */
async function installedVersion(name: string, directory: string): Promise<string | undefined> {
  const found = (await readJson(join(directory, 'node_modules', name, 'package.json'))) as
    | { version: string }
    | undefined;
  if (found) return found.version;
  const parent = dirname(directory);
  return parent === directory ? undefined : installedVersion(name, parent);
}

function differing(wrong: readonly string[], advice: string): Finding {
  const more = wrong.length > 5 ? `, and ${wrong.length - 5} more` : '';
  return fail('packages', wrong.slice(0, 5).join(', ') + more, advice);
}
