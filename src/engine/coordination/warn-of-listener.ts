import { messageOf } from '../errors.ts';

/** What becomes of an error that a listener of a watch throws, when nobody asked to be told. */
export function warnOfListener(error: unknown): void {
  process.emitWarning(`A listener of a watch has failed: ${messageOf(error)}`, 'PismakWarning');
}
