/** `npm run prove hostile [-- --seed 1 --requests 20000 --files 2000]`: strangers and hostile users beside an honest one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultsOf, withstand } from '../hostile/withstand.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '20000' },
    files: { type: 'string', default: '2000' },
    quiet: { type: 'string', default: '60' },
  },
});
const directory = await mkdtemp(join(tmpdir(), 'pismak-hostile-'));
const figures = await withstand({
  directory,
  seed: Number(values.seed),
  requests: Number(values.requests),
  files: Number(values.files),
  quietMs: Number(values.quiet) * 1000,
  web: true,
  onProgress: (line) => console.log(line),
});
await rm(directory, { recursive: true, force: true });
const { attack, honest, memoryMb } = figures;
console.log(`${attack.requests} requests to ${attack.operations} operations, by kind and by status`);
console.table([attack.kinds]);
console.table([{ ...attack.statuses, unanswered: attack.unanswered }]);
console.table([attack.files]);
if (figures.web) console.log('hostile web', figures.web);
console.table([
  { ...attack.mails, 'connections to the hostile mail server': figures.hostileRelayConnections },
]);
console.table({
  'calls, alone': honest.alone.calls,
  'calls, attacked': honest.attacked.calls,
  'requests, alone': honest.alone.requests,
  'requests, attacked': honest.attacked.requests,
  'mails, alone': honest.alone.mails,
  'mails, attacked': honest.attacked.mails,
});
const byOperation = Object.entries(honest.attacked.reads).map(([name, { p99, most }]) => {
  const alone = honest.alone.reads[name];
  return [name, { 'p99, alone': alone?.p99, 'p99, attacked': p99, 'most, alone': alone?.most, most }];
});
console.table(Object.fromEntries(byOperation));
console.log(
  `99th percentile: calls ${honest.callsRatio}x, requests ${honest.requestsRatio}x, mails ${honest.mailsRatio}x (limit 3x)`,
);
const { operation, ms } = figures.longestPiece;
console.log(`longest piece on the main thread: ${ms} ms of processor time, ${operation} (limit 100 ms)`);
for (const alert of figures.busy) console.log(alert);
console.table([memoryMb]);
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
const faults = faultsOf(figures, { times: true });
for (const fault of faults) console.log(`FAULT: ${fault}`);
console.log(faults.length === 0 ? `withstood in ${figures.seconds} s` : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
