/**
 * `npm run prove -- stage-file [--size 2G]`: a large file of a stage through a killed command, a change of one byte and two workers, and the
 * memory of every process meanwhile. Needs ten times the size on the disk of the temporary directory.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { partBytes } from '../../src/terminal/client/upload-file.ts';
import { carryStageFile, megabytes, sentOnlyWhatWasMissing } from '../stage-file/carry-stage-file.ts';

const mostMb = 300;
const units: Record<string, number> = { M: 2 ** 20, G: 2 ** 30 };

const { values } = parseArgs({
  options: { json: { type: 'string' }, size: { type: 'string', default: '2G' } },
});
const [, number, unit = ''] = /^(\d+)([MG])$/.exec(values.size) ?? [];
const size = Number(number) * (units[unit] ?? Number.NaN);
if (!(size > 3 * partBytes)) throw new Error(`--size ${values.size}: 49M or more, such as 200M or 2G`);

const directory = await mkdtemp(join(tmpdir(), 'pismak-stage-file-'));
const postgres = await startPostgres();
const figures = await carryStageFile({
  directory,
  postgres,
  size,
  loadsBefore: true,
  say: (line) => console.log(line),
}).finally(async () => {
  await postgres.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
});
const { sent, peaks } = figures;
console.log(
  `a file of ${megabytes(size)} MB: ${megabytes(sent.untilKilled)} MB sent until the command was killed, ${megabytes(sent.resumed)} MB by the same command again, ${megabytes(sent.changed)} MB after one byte was changed`,
);
console.table(peaks);
console.log(
  'mostMb: the most memory that was resident at once, as the kernel notes it (VmHWM): heap, buffers and mapped files, not the page cache of files.\nThe processes of PostgreSQL count with anonymousMb: the rest is the memory that they share.',
);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const large = peaks.filter(({ process, mostMb: most, anonymousMb }) =>
  process.startsWith('postgres') ? anonymousMb > mostMb : most > mostMb,
);
for (const one of large) console.log(`MORE THAN ${mostMb} MB: ${one.process}`);
const isFrugal = sentOnlyWhatWasMissing(figures, partBytes);
if (!isFrugal) console.log('MORE WAS SENT THAN WAS MISSING');
process.exitCode = large.length === 0 && isFrugal ? 0 : 1;
