import { sweepWorkDirectories } from '../../files/work-directory.ts';
import { defineProcessor } from '../processor.ts';
import { readStageFiles } from '../stage-files.ts';
import { checkAllowed } from './allowed-programs.ts';
import { parseCommandConfig } from './command-config.ts';
import { findIsolation } from './isolation.ts';
import { runOnFiles } from './program-on-files.ts';

/** Any program as a stage: every file it leaves in `out/` is added to the request or replaces the file of that name. */
export default defineProcessor(async (setup) => {
  const config = parseCommandConfig(setup.config);
  checkAllowed(config.COMMAND, setup.commands ?? []);
  const isolation = await findIsolation(config);
  const stageFiles = await readStageFiles(setup);
  await sweepWorkDirectories();
  return async (job) => {
    for (const note of isolation.notes) job.log(note);
    const files = new Map<string, Uint8Array>();
    for (const name of job.files.names()) files.set(name, await job.files.read(name));
    const environment = {
      PISMAK_REQUEST: job.uuid,
      PISMAK_STAGE: setup.stage,
      PISMAK_STAGE_VERSION: String(setup.version),
      PISMAK_ATTEMPT: String(job.attempt),
    };
    const { signal } = job;
    const log = (line: string) => job.log(line);
    const written = await runOnFiles({ config, isolation, files, stageFiles, environment, signal, log });
    for (const [name, content] of written) await job.files.write(name, content);
    job.log(`the program wrote ${[...written.keys()].join(', ') || 'nothing'}`);
  };
});
