import { z } from 'zod';
import type { Engine } from '../engine/composition/engine.ts';
import { PismakError } from '../engine/ground/errors.ts';
import { sectionOf } from '../engine/house.ts';
import type { Running } from '../engine/service/service.ts';
import { storedFoundations } from './opened/foundations.ts';
import { type Statistics, statisticsOf } from './opened/statistics.ts';
import { kindName, userKey } from './operations/inputs.ts';
import { countOwnEvents } from './own/own-events.ts';
import { reconcile } from './rollup/reconcile.ts';
import { rollUp } from './rollup/roll-up.ts';
import { leftOut } from './rollup/skip-too-large.ts';
import { sweep } from './rollup/sweep.ts';
import { statisticsSection } from './settings/settings.ts';
import { levels } from './store/store.ts';

/** A few minutes after each half hour, when most of its events have arrived. */
const halfHours = '3,33 * * * *';
const nightly = '47 2 * * *';

/** What roll-ups and checks can be limited to. */
const part = z.strictObject({ kind: kindName.optional(), user: userKey.optional() });

function only({ schemas }: Statistics, { kind, user }: z.output<typeof part>) {
  // Throws for an unknown kind, which would silently do nothing.
  if (kind !== undefined) schemas.get(kind);
  return { kind, user: user === undefined ? undefined : String(user) };
}

/** Registers the roll-up schedules: each level after the one below, then the sweep. Administrators may change or disable them. */
export async function runStatistics(engine: Engine): Promise<Running> {
  const { schedules } = engine;
  const opened = () => statisticsOf(engine);
  // Every operation reports wrong settings; they must not keep the rest of Pismak from starting.
  await opened().then(tellSchemas, () => {});
  for (const level of levels)
    schedules.registerTask(
      `statistics.${level}`,
      async ({ parameters, signal, log }) => {
        const statistics = await opened();
        const options = { levels: [level], signal, ...only(statistics, parameters) };
        const { cubes, units, rows, tooLarge } = await rollUp(statistics, options);
        log(`${units} units of ${cubes} users and kinds built, ${rows} rows${leftOut(tooLarge)}`);
      },
      part,
    );
  schedules.registerTask('statistics.sweep', async ({ signal, log }) => {
    const { segments, replaced } = await sweep(await opened(), { signal });
    log(`${segments} segments deleted, ${replaced} replaced units dropped`);
  });
  schedules.registerTask('statistics.seal', async ({ signal, log }) => {
    const { segments, sealed, replaced, batches } = await sweep(await opened(), { seal: true, signal });
    log(
      `${segments} segments deleted, ${sealed} days sealed, ${batches} tokens forgotten, ${replaced} replaced units dropped`,
    );
  });
  schedules.registerTask(
    'statistics.reconcile',
    async ({ parameters, signal, log }) => {
      const statistics = await opened();
      log(await reconciled(statistics, { signal, ...only(statistics, parameters) }));
    },
    part,
  );

  const task = (name: string) => ({ kind: 'task', task: name }) as const;
  const chain = [...levels.map((level) => `statistics.${level}`), 'statistics.sweep'];
  for (const [index, name] of chain.entries()) {
    const before = chain[index - 1];
    const when = before
      ? ({ kind: 'after', schedule: before } as const)
      : ({ kind: 'cron', cron: halfHours, timezone: 'UTC' } as const);
    await schedules.ensure(name, { when, action: task(name) }, 'local');
  }
  const when = { kind: 'cron', cron: nightly, timezone: 'UTC' } as const;
  await schedules.ensure('statistics.reconcile', { when, action: task('statistics.reconcile') }, 'local');
  // Days are sealed only after all levels were found to agree.
  const afterwards = { kind: 'after', schedule: 'statistics.reconcile' } as const;
  await schedules.ensure('statistics.seal', { when: afterwards, action: task('statistics.seal') }, 'local');
  return sectionOf(engine.settings, statisticsSection).own
    ? countOwnEvents(engine, opened)
    : { async close() {} };
}

/** Workers elsewhere read from the database which schemas this process has, once anything is counted. */
async function tellSchemas({ database, foundations }: Statistics): Promise<void> {
  if ((await storedFoundations(database)).timezone !== undefined) await foundations.get();
}

/** Fails if levels differ, so that the schedule raises its alert. */
async function reconciled(
  statistics: Statistics,
  options: { kind: string | undefined; user: string | undefined; signal: AbortSignal },
): Promise<string> {
  const { cubes, units, difference, tooLarge } = await reconcile(statistics, options);
  if (!difference) return `${units} units of ${cubes} users and kinds agree${leftOut(tooLarge)}`;
  const { kind, user, level, unit, entity, split, dimension, expected, got } = difference;
  throw new PismakError(
    'conflict',
    `${level} ${unit} of ${kind} ${entity} (${split}) of user ${user} has ${got} ${dimension}, but the finer level has ${expected}; rebuild it with statistics rollup --from --to`,
  );
}
