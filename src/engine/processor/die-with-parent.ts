import { Worker } from 'node:worker_threads';

/**
 * A killed parent can't stop this process, and a process that spins never notices that its pipe was closed. So a separate
 * thread checks whether the parent is still the same; if not, it kills `target`: a process, or a group (negative).
 */
export function dieWithParent(target: number): void {
  const code = `const parent = ${process.ppid};
    setInterval(() => { if (process.ppid !== parent) process.kill(${target}, 'SIGKILL'); }, 500);`;
  new Worker(code, { eval: true, execArgv: [], stdout: false, stderr: false }).unref();
}
