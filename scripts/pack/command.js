#!/usr/bin/env node
// The command of a package. This file itself must run on any Node, so that it can say which one is needed.
const needed = 24;
if (Number(process.versions.node.split('.')[0]) < needed) {
  console.error(
    `pismak needs Node >= ${needed}, this is ${process.version}: install a newer one (nodejs.org)`,
  );
  process.exit(1);
}
// The flags of bin/pismak: Node takes them only when it starts, so it starts again in its own place: same process, same terminal.
const flags = [
  // By default the young objects of each thread may fill far more: making mails then needs 30 MB more and is no faster.
  '--max-semi-space-size=8',
  `--import=${new URL('./cli/english-only.js', import.meta.url).href}`,
];
// Of bin/pismak, too: threads share two pools of freed memory, not one each.
const environment = { MALLOC_ARENA_MAX: '2', ...process.env };
if (process.execve && process.platform !== 'win32' && !flags.every((flag) => process.execArgv.includes(flag)))
  process.execve(
    process.execPath,
    [process.execPath, ...process.execArgv, ...flags, ...process.argv.slice(1)],
    environment,
  );
const { enableCompileCache } = await import('node:module');
const { homedir } = await import('node:os');
const { join } = await import('node:path');
// Halves the time to start. Not beside this file, which may be read-only, nor in a directory that others can write to.
// Processors run in processes of their own, which find it by the variable. Node goes on without it where it can't be written.
process.env.NODE_COMPILE_CACHE ??= join(
  process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
  'pismak',
  'node',
);
enableCompileCache(process.env.NODE_COMPILE_CACHE);
await import('./main.js');
