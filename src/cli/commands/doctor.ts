import { readHolder } from '../../engine/data-directory/data-directory.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { formatCount } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import { checkData } from '../doctor/check-data.ts';
import { checkNode, checkPackages } from '../doctor/check-installation.ts';
import { checkExposure, checkProcess } from '../doctor/check-process.ts';
import { checkDecoders, checkSandbox } from '../doctor/check-sandbox.ts';
import { checkServers } from '../doctor/check-servers.ts';
import { checkWorkers } from '../doctor/check-workers.ts';
import { type Finding, fail, ok, warn } from '../doctor/finding.ts';

const add: AddGroup = (group, { run }) => {
  group
    .addHelpText(
      'after',
      '\nChecks configuration, data directory, disk, clock, versions, the sandbox of processors, and the running\n' +
        'process; if none runs, its port and its servers. Lists the workers of the whole cluster, with their recognisers,\n' +
        'models and languages. Fails if something needs fixing.\n\nExamples:\n  $ pismak doctor\n  $ pismak doctor --data /var/lib/pismak --json',
    )
    .action(
      run(async (session) => {
        const { out } = session;
        const findings = await examine(session);
        out.list(findings, [
          { title: '', of: (row) => row.state },
          { title: 'check', of: (row) => row.check },
          { title: 'found', of: (row) => row.found },
          { title: 'what to do', of: (row) => row.advice || ' ' },
        ]);
        const failures = findings.filter(({ state }) => state === 'FAIL').length;
        if (failures > 0) throw new PismakError('conflict', `${formatCount(failures, 'check')} failed`);
      }),
    );
};
export default add;

/** Splits a warning into the finding and the advice. */
function splitAdvice(warning: string): [string, string] {
  const at = warning.lastIndexOf('; ');
  return [warning.slice(0, at), warning.slice(at + 2)];
}

async function examine({ settings, clock, client }: Session): Promise<Finding[]> {
  const findings = [checkNode(), await checkPackages()];
  try {
    const loaded = await settings();
    findings.push(ok('configuration', loaded.file ?? 'defaults, no pismak.toml'));
    for (const warning of loaded.warnings) findings.push(warn('secrets', ...splitAdvice(warning)));
    const holder = await readHolder(loaded.settings.data);
    findings.push(...(await checkData(loaded.settings, clock, holder !== undefined)));
    findings.push(await checkSandbox(loaded.settings), await checkDecoders(loaded.settings));
    findings.push(...checkExposure(loaded.settings));
    findings.push(...(await checkProcess(loaded.settings, holder)));
    // A running process checks its servers itself and reports them in its health.
    if (!holder) findings.push(...(await checkServers(loaded.settings, clock)));
    findings.push(...(await checkWorkers(loaded.settings, { clock, holder, client })));
  } catch (error) {
    if (!(error instanceof PismakError && error.code === 'configuration-invalid')) throw error;
    findings.push(
      fail('configuration', messageOf(error), 'correct it; `pismak config --explain` shows what is allowed'),
    );
  }
  return findings;
}
