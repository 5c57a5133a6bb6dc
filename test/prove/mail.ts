/** `npm run prove -- mail`: Pismak is killed 20 times while it generates and sends a campaign of 50,000 mails. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { surviveMailKills } from '../mail/mail-kills.ts';

const { values } = parseArgs({
  options: {
    ...{ json: { type: 'string' }, kills: { type: 'string', default: '20' } },
    ...{ recipients: { type: 'string', default: '50000' }, 'life-ms': { type: 'string', default: '4000' } },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'pismak-mail-'));
const figures = await surviveMailKills({
  directory,
  kills: Number(values.kills),
  recipients: Number(values.recipients),
  lifeMs: Number(values['life-ms']),
  say: (line) => console.log(line),
});
await rm(directory, { recursive: true, force: true });
console.table([figures]);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const { lost, wrong, duplicates, counted, inFlight } = figures;
const survived = lost === 0 && wrong === 0 && duplicates <= counted && counted <= inFlight;
console.log(survived ? 'nothing was lost, and what may be there twice is counted' : 'THAT WENT WRONG');
process.exitCode = survived ? 0 : 1;
