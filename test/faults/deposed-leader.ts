import { join } from 'node:path';
import { startProgram } from '../../src/engine/testing/child-program.ts';
import type { Installation } from './installation.ts';

const sessionTimeoutMs = 4_000;
const path = '/fault-program';
const program = join(import.meta.dirname, 'programs', 'lead-on.ts');

export interface Deposed {
  /** What the two leaders said when they began to lead. */
  first: string;
  second: string;
  /** What the first one was told when it wrote again. */
  answer: string;
  /** Whose write is in the tree in the end. */
  written: string;
}

/** A leader is stopped until another one leads, and then goes on as if nothing had happened: is its write refused? */
export async function deposeLeader({ urls, coordination }: Installation): Promise<Deposed> {
  const ending: (() => Promise<void>)[] = [];
  const lead = (name: string) => {
    const args = [urls.coordination, name, String(sessionTimeoutMs), path];
    return startProgram({ after: (end) => ending.push(end as () => Promise<void>) }, program, args);
  };
  try {
    const one = lead('first');
    const first = await one.line();
    const two = lead('second');
    process.kill(one.pid, 'SIGSTOP');
    const second = await two.line();
    // From here on it writes nothing either, so whatever the first one manages to write will be seen.
    process.kill(two.pid, 'SIGSTOP');
    process.kill(one.pid, 'SIGCONT');
    const answer = await one.line();
    const written = (await coordination.get(`${path}/written`))?.value ?? 'nothing';
    return { first, second, answer, written };
  } finally {
    for (const end of ending) await end();
  }
}

export function wasRefused({ answer, written }: Deposed): boolean {
  return answer.startsWith('refused') && written === 'second';
}
