import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, normalize } from 'node:path';

/**
 * An administrator's key must not be a shell of this machine: the operator of the machine decides which programs
 * stages may run, in `command.allow` of its settings. An entry is the path of a program, with `*` for any characters
 * but a slash; the entry `*` alone allows every shell command line.
 */
export function checkAllowed(line: string, allow: readonly string[]): void {
  if (allow.includes('*')) return;
  const [word = ''] = line.trim().split(/\s/, 1);
  const program = word.includes('/') ? word : (findInPath(word) ?? word);
  if (!isAbsolute(program) || normalize(program) !== program || !matches(program, allow))
    throw new Error(
      `COMMAND may not run ${word} here: pismak.toml does not allow it. To allow it, add its path to \`allow\` in the section [command] on every machine that is to run it, e.g. allow = ["${isAbsolute(program) ? program : `/usr/bin/${word}`}"]`,
    );
  // With more than a program and its parameters, the line could run anything else too.
  const shell = /[;&|<>()$`\\*?[\]{}~#!\n]/.exec(line.replaceAll(/"\$PISMAK_[A-Z_]+"/g, ''));
  if (shell)
    throw new Error(
      `COMMAND may have only a program and its parameters here, not ${JSON.stringify(shell[0])}: write a script, and add its path to \`allow\` in the section [command] of pismak.toml`,
    );
}

function matches(program: string, allow: readonly string[]): boolean {
  const paths = [program, realPath(program)];
  return allow.some((entry) => paths.some((path) => path !== undefined && fits(path, entry)));
}

function fits(path: string, entry: string): boolean {
  const names = path.split('/');
  const patterns = entry.split('/');
  return (
    names.length === patterns.length && names.every((name, place) => fitsName(name, patterns[place] ?? ''))
  );
}

/** Each part between asterisks at the first place after the part before it. */
function fitsName(name: string, pattern: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

function realPath(program: string): string | undefined {
  try {
    return realpathSync(program);
  } catch {
    return undefined;
  }
}

/** The path that the shell finds. */
function findInPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
