import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The files of another revision, in a directory of their own below .cache, with the packages that it needs. Kept for the next time. */
export async function checkOut(
  root: string,
  revision: string,
): Promise<{ directory: string; label: string }> {
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`);
  const label = git('rev-parse', '--short', commit);
  const directory = join(root, '.cache', 'compare', label);
  if (!existsSync(directory)) {
    const unfinished = `${directory}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    // Not `git worktree`, which would leave an entry in .git if this process were killed.
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', unfinished], { input: archive });
    renameSync(unfinished, directory);
  }
  addPackages(root, directory);
  return { directory, label };
}

/** The same packages are shared; others are installed. */
function addPackages(root: string, directory: string): void {
  const lockOf = (tree: string) => readFileSync(join(tree, 'package-lock.json'), 'utf8');
  if (existsSync(join(directory, 'node_modules'))) return;
  if (lockOf(root) === lockOf(directory))
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  else execFileSync('sh', [join(directory, 'bin', 'setup'), 'bench'], { cwd: directory, stdio: 'inherit' });
}
