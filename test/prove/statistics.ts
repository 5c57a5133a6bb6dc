/**
 * `npm run prove -- statistics [--histories 1000] [--kills 60]`: random histories with late events, repeated batches, re-runs, sealed
 * days and backfills, and a process that is killed while it ingests, rolls up and sweeps; on SQLite and PostgreSQL. Every answer must
 * equal the plain sum over all events.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { openDatabase } from '../../src/engine/database/open.ts';
import { seededRandom } from '../../src/engine/simulation/chance.ts';
import { startPostgres } from '../../src/engine/testing/servers/postgres.ts';
import { ManualClock } from '../../src/engine/time/clock.ts';
import { checkHistory, historySteps } from '../../src/statistics/testing/random-history.ts';
import { surviveKills } from '../../src/statistics/testing/survive-kills.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    histories: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);
const directory = await mkdtemp(join(tmpdir(), 'pismak-statistics-'));
const server = await startPostgres();
const figures: Record<string, unknown>[] = [];
const closing: (() => unknown)[] = [];
const scope = { after: (work: () => unknown) => void closing.push(work) };
// Servers don't keep this process alive, but it must see them end.
const awake = setInterval(() => {}, 1000);
try {
  for (const [name, url] of [
    ['SQLite', async () => 'sqlite:'],
    ['PostgreSQL', () => server.createDatabase()],
  ] as const) {
    const began = performance.now();
    const clock = new ManualClock(Date.UTC(2020, 11, 20));
    const database = await openDatabase(await url(), { file: join(directory, 'histories.db'), clock });
    const histories = fc.asyncProperty(historySteps, fc.integer(), (steps, number) =>
      checkHistory({ database, clock }, steps, number),
    );
    await fc.assert(histories, { numRuns: Number(values.histories), seed });
    await database.close();
    const kills = { url: await url(), file: join(directory, 'kills.db'), kills: Number(values.kills) };
    const survived = await surviveKills(scope, { ...kills, random: seededRandom(seed) });
    const figure = {
      ...{ database: name, histories: Number(values.histories), kills: kills.kills, ...survived },
      seconds: Math.round((performance.now() - began) / 1000),
    };
    console.log(JSON.stringify(figure));
    figures.push(figure);
  }
  console.log('every answer equals the plain sum over all events');
} finally {
  for (const close of closing) await close();
  await server.close();
  clearInterval(awake);
  await rm(directory, { recursive: true, force: true });
}
if (values.json) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
