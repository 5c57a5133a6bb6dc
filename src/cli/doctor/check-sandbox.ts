import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findSandbox, sandboxPlan } from '../../engine/processor/sandbox.ts';
import { decoderSandbox, weakness } from '../../engine/sandbox/find-sandbox.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether code that decodes foreign files is held apart from all that is Pismak's. */
export async function checkDecoders({ sandbox }: Pick<Settings, 'sandbox'>): Promise<Finding> {
  const { hold, fault = '' } = await decoderSandbox();
  const weak = weakness({ hold });
  if (weak === undefined) return ok('decoders', `see no data, no other process and no network (${hold})`);
  const [why = '', ...remedy] = fault.split(': ');
  const result = sandbox.use === 'require' ? fail : warn;
  return result('decoders', `${weak}; ${why}`, remedy.join(': '));
}

/** Tries, in a temporary directory, whether the sandbox can hide databases, keys, logs and blobs from processors. */
export async function checkSandbox({ sandbox }: Pick<Settings, 'sandbox'>): Promise<Finding> {
  if (sandbox.use === 'off')
    return warn('sandbox', 'processors see everything that this user sees', 'remove sandbox.use = "off"');
  const directory = mkdtempSync(join(tmpdir(), 'pismak-doctor-'));
  try {
    const parts = { data: directory, blobsUrl: `directory:${join(directory, 'blobs')}`, modules: [] };
    const found = await findSandbox(sandboxPlan({ ...parts, cacheDirectory: join(directory, 'cache') }));
    if (!('fault' in found)) return ok('sandbox', 'hides databases, keys, logs and blobs from processors');
    const [why = '', ...remedy] = found.fault.split(': ');
    const result = sandbox.use === 'require' ? fail : warn;
    return result('sandbox', `processors see everything that this user sees; ${why}`, remedy.join(': '));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
