import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const context = createContext({ work: () => undefined as unknown });

/** Runs work that may never end, such as a backtracking regular expression; false if it timed out. */
export function endsWithin(ms: number, work: () => void): boolean {
  context.work = work;
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.round(ms)) });
    return true;
  } catch (error) {
    // `instanceof Error` fails here, because the error comes from another realm.
    const { code } = error as { code?: unknown };
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
