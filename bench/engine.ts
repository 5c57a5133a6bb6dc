import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Comparable } from './comparable.ts';
import { bloatPart } from './engine/bloat-part.ts';
import { embeddedPart } from './engine/embedded-part.ts';
import { newsPart } from './engine/news-part.ts';
import { postgresPart } from './engine/postgres-part.ts';
import { processesPart, trivialProcessesPart } from './engine/processes-part.ts';
import { rabbitmqPart } from './engine/rabbitmq-part.ts';
import { printTargets, type Target } from './engine/report.ts';
import { jobs } from './engine/work.ts';

/**
 * Compares our brokers with their peers, on the same work and in one run. Servers are started on free loopback ports and
 * stopped at the end. `node bench/engine.ts [--only embedded,postgres,rabbitmq,processes,processes-trivial,bloat,news]
 * [--rounds 5] [--held 1] [--alone] [--json FILE]`; `--only processes` shows what four worker processes do against one, round by
 * round; `--only news` how soon a change is heard at another process, and what that costs the queue; `--only bloat` shows what a transaction that a stranger leaves open for `--held` minutes does to the queues on PostgreSQL.
 */
const parts = {
  embedded: embeddedPart,
  postgres: postgresPart,
  rabbitmq: rabbitmqPart,
  processes: processesPart,
  'processes-trivial': trivialProcessesPart,
  bloat: bloatPart,
  news: newsPart,
};
type Part = keyof typeof parts;

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    // Without peers, for `bench -- compare`.
    alone: { type: 'boolean', default: false },
    // Minutes for which a stranger's transaction is open.
    held: { type: 'string', default: '1' },
    only: { type: 'string', default: Object.keys(parts).join() },
  },
});
const chosen = values.only.split(',');
const unknown = chosen.find((name) => !Object.hasOwn(parts, name));
if (unknown !== undefined) {
  console.error(`--only ${unknown}: choose from ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}

// The servers don't keep this process alive, not even while it waits for them to end.
const alive = setInterval(() => {}, 60_000);
const targets: Target[] = [];
const comparable: Comparable[] = [];
const run = {
  rounds: Number(values.rounds),
  heldMinutes: Number(values.held),
  alone: values.alone,
  targets,
  comparable,
};
const measured: { [part in Part]?: unknown } = {};
for (const name of chosen as Part[]) measured[name] = await parts[name](run);
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(
    values.json,
    `${JSON.stringify({ machine, jobs, ...measured, targets, comparable }, null, 2)}\n`,
  );
}
clearInterval(alive);
