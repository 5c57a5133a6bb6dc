import { messageOf } from '../ground/errors.ts';

/** The default report of an error that a watch listener throws. */
export function warnOfListener(error: unknown): void {
  process.emitWarning(`A watch listener failed: ${messageOf(error)}`, 'PismakWarning');
}
