import { PismakError } from '../ground/errors.ts';
import { findSandbox, sandboxPlan } from '../processor/sandbox.ts';
import { decoderSandbox, weakness } from '../sandbox/find-sandbox.ts';
import type { CommonProcesses } from './common-processes.ts';
import type { WorkerParts } from './worker-parts.ts';

/** From now on, processors run in a sandbox if this machine supports it and the settings allow it. */
export async function confineProcesses(
  { source }: CommonProcesses,
  parts: Pick<
    WorkerParts,
    'blobsUrl' | 'cacheDirectory' | 'configurationFile' | 'log' | 'processors' | 'settings'
  >,
): Promise<void> {
  const { log, settings } = parts;
  // Processes in a sandbox can't tell which directories are still in use.
  await source.sweep();
  const decoders = await decoderSandbox();
  const weak = weakness(decoders);
  if (weak !== undefined) {
    const message = `files of others are not decoded apart: ${weak}; ${decoders.fault}`;
    if (settings.sandbox.use === 'require') throw new PismakError('configuration-invalid', message);
    log.warn(message);
  }
  if (settings.sandbox.use === 'off') return;
  const modules = parts.processors.list().flatMap((each) => ('module' in each ? [each.module] : []));
  const commands = settings.command.allow;
  const backups = settings.backup.directory || undefined;
  const found = await findSandbox(sandboxPlan({ ...parts, data: settings.data, backups, modules, commands }));
  if (!('fault' in found)) {
    source.confine(found);
    return;
  }
  if (settings.sandbox.use === 'require')
    throw new PismakError(
      'configuration-invalid',
      `sandbox.use = "require", but processors can't be confined: ${found.fault}`,
    );
  log.warn(`processors see everything that this user sees: ${found.fault}`);
}
