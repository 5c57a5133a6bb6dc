import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const context = createContext({ work: () => undefined as unknown });

/** Runs what may never end, such as a regular expression that backtracks for years; false when the time was up. */
export function endsWithin(ms: number, work: () => void): boolean {
  context.work = work;
  try {
    script.runInContext(context, { timeout: Math.max(1, Math.round(ms)) });
    return true;
  } catch (error) {
    // Not `instanceof Error`: it comes from the script's own world.
    const { code } = error as { code?: unknown };
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false;
    throw error;
  }
}
