import type { Selectable } from 'kysely';
import type { Broker } from '../broker/broker.ts';
import type { Database, Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { ChangeLog } from '../event/change-log.ts';
import { changedSince, checkBase } from '../ground/base-version.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { Clock } from '../time/clock.ts';
import { meantNames, type Namer, ownedName, splitName } from './owned-name.ts';
import { programOwner } from './program-owner.ts';
import { stageName } from './stage.ts';
import { type Stages, unknownStage } from './stages.ts';

/** A named list of stages; the last name is the output queue (or a stage that ends the request). */
export interface Pipeline {
  name: string;
  stages: string[];
  owner: string;
  createdAt: number;
  /** Grows with each change of the stages. */
  version: number;
  changedAt: number;
  changedBy: string;
}

export interface Pipelines {
  list(): Promise<Pipeline[]>;
  /** The pipeline that the user means by this name: the user's own pipeline has precedence. */
  find(name: string, by?: Namer): Promise<Pipeline | undefined>;
  /** Throws `quota-exceeded` if the owner has `most` of them. */
  create(pipeline: {
    name: string;
    stages: readonly string[];
    owner: string;
    most?: number | undefined;
  }): Promise<Pipeline>;
  /** Replaces its stages; with `base`, only if that is still its version. Its owner stays. */
  set(name: string, stages: readonly string[], by: string, base?: number): Promise<Pipeline>;
  delete(name: string): Promise<void>;
  /**
   * Checks a list of stages before anything is published to it: refuses unknown stages and lists the known ones. Declares
   * a new output queue, which then belongs to `owner`, or to the user in its name. Throws `quota-exceeded` if the owner has `most`.
   */
  prepare(stages: readonly string[], owner: string, most?: number): Promise<void>;
  /**
   * Claims a queue for the program itself, for a house that reads its results there: declares it, and then nobody can name it as output
   * or take results from it, not even an administrator. Safe to repeat. A user who had an output queue with that name loses
   * it. Throws `conflict` while a stage with that name exists, because its workers would read it. A queue that the broker refuses is
   * kept as broken.
   */
  claimOutput(queue: string): Promise<void>;
  /** The owner of an output queue; undefined if it is none, `programOwner` if it is claimed. */
  outputOwner(queue: string): Promise<string | undefined>;
  /** The output queue that the user means by this name, and its owner. */
  findOutput(name: string, by: Namer): Promise<{ name: string; owner: string } | undefined>;
  /** Forgets a queue that has been removed from the broker. */
  forgetOutput(queue: string): Promise<void>;
}

export function createPipelines(parts: {
  broker: Broker;
  database: Database;
  stages: Stages;
  changes: ChangeLog;
  clock: Clock;
}): Pipelines {
  const { broker, database, changes, clock } = parts;

  const pipelines: Pipelines = {
    async list() {
      const rows = await database.query.selectFrom('pipeline').selectAll().orderBy('name').execute();
      return rows.map(fromRow);
    },

    async find(name, by) {
      const names = meantNames(by, name);
      const rows = await database.query
        .selectFrom('pipeline')
        .selectAll()
        .where('name', 'in', names)
        .execute();
      const row = firstOf(names, rows);
      return row && fromRow(row);
    },

    async create({ name, stages, owner, most }) {
      ownedName.parse(name);
      await refuseMore(database.query, 'pipeline', owner, most);
      await pipelines.prepare(stages, owner);
      const createdAt = clock.now();
      try {
        await database.transaction(async (transaction) => {
          // Check again: other calls may have been faster.
          await refuseMore(transaction, 'pipeline', owner, most);
          await transaction
            .insertInto('pipeline')
            .values({ name, stagesJson: JSON.stringify(stages), owner, createdAt })
            .execute();
        });
      } catch (error) {
        if (!hasCode(error, 'constraint-violated')) throw error;
        throw new PismakError('already-exists', sayRefusal('taken.pipeline', { pipeline: name }), {
          cause: error,
        });
      }
      changes.add({ kind: 'pipeline', entity: name });
      return {
        name,
        stages: [...stages],
        owner,
        createdAt,
        version: 1,
        changedAt: createdAt,
        changedBy: owner,
      };
    },

    async set(name, stages, by, base) {
      const before = await pipelines.find(name);
      if (!before) throw unknownPipeline(name);
      checkBase(`pipeline ${name}`, base, before);
      await pipelines.prepare(stages, before.owner);
      const made = { version: before.version + 1, changedAt: clock.now(), changedBy: by };
      const { numUpdatedRows } = await database.query
        .updateTable('pipeline')
        .set({ stagesJson: JSON.stringify(stages), ...made })
        .where('name', '=', name)
        .where('version', '=', before.version)
        .executeTakeFirst();
      if (Number(numUpdatedRows) === 0) {
        const now = await pipelines.find(name);
        if (!now) throw unknownPipeline(name);
        throw changedSince(`pipeline ${name}`, before.version, now);
      }
      changes.add({ kind: 'pipeline', entity: name, data: { version: made.version } });
      return { ...before, stages: [...stages], ...made };
    },

    async delete(name) {
      const result = await database.query.deleteFrom('pipeline').where('name', '=', name).executeTakeFirst();
      if (Number(result.numDeletedRows) === 0) throw unknownPipeline(name);
      changes.add({ kind: 'pipeline', entity: name, data: { deleted: true } });
    },

    async prepare(stages, owner, most) {
      const output = stages.at(-1);
      if (output === undefined || stages.length < 2) {
        throw new PismakError('invalid-input', 'give at least one stage and, last, the output queue');
      }
      const known = new Set((await parts.stages.list()).map((stage) => stage.name));
      for (const name of stages.slice(0, -1)) if (!known.has(name)) throw unknownStage(name, [...known]);
      if (known.has(output)) return;
      if ((await pipelines.outputOwner(output)) !== undefined) return;
      ownedName.parse(output);
      await refuseMore(database.query, 'outputQueue', owner, most);
      // The queue first: nothing checks the queue again once the row exists.
      await broker.declare(output);
      const isNew = await recordOutput(output, owner, most).catch(async (error) => {
        // Other calls were faster and took the last room.
        if (hasCode(error, 'quota-exceeded')) await broker.remove(output);
        throw error;
      });
      if (isNew) changes.add({ kind: 'queue', entity: output, owner });
    },

    async claimOutput(queue) {
      stageName.parse(queue);
      if ((await parts.stages.list()).some((stage) => stage.name === queue)) {
        const message = `the program needs a queue named ${queue}, but a stage has that name; delete the stage`;
        throw new PismakError('conflict', message);
      }
      await broker.declare(queue, { keepIfRefused: true }).catch((error: unknown) => {
        // Its consumer waits until the queue is repaired.
        if (!hasCode(error, 'conflict')) throw error;
      });
      const claimed = await database.query
        .insertInto('outputQueue')
        .values({ name: queue, owner: programOwner, createdAt: clock.now() })
        .onConflict((conflict) =>
          conflict
            .column('name')
            .doUpdateSet({ owner: programOwner })
            .where('outputQueue.owner', '!=', programOwner),
        )
        .executeTakeFirst();
      if (Number(claimed.numInsertedOrUpdatedRows ?? 0) > 0)
        changes.add({ kind: 'queue', entity: queue, owner: programOwner });
    },

    async outputOwner(queue) {
      const row = await database.query
        .selectFrom('outputQueue')
        .select('owner')
        .where('name', '=', queue)
        .executeTakeFirst();
      return row?.owner;
    },

    async findOutput(name, by) {
      const names = meantNames(by, name);
      const rows = await database.query
        .selectFrom('outputQueue')
        .select(['name', 'owner'])
        .where('name', 'in', names)
        .execute();
      return firstOf(names, rows);
    },

    async forgetOutput(queue) {
      const owner = await pipelines.outputOwner(queue);
      await database.query.deleteFrom('outputQueue').where('name', '=', queue).execute();
      if (owner !== undefined) changes.add({ kind: 'queue', entity: queue, owner, data: { deleted: true } });
    },
  };
  return pipelines;

  /** Resolves to whether the queue is new. */
  function recordOutput(name: string, owner: string, most?: number): Promise<boolean> {
    return database.transaction(async (transaction) => {
      const inserted = await transaction
        .insertInto('outputQueue')
        .values({ name, owner: splitName(name)[0] ?? owner, createdAt: clock.now() })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .executeTakeFirst();
      const isNew = Number(inserted.numInsertedOrUpdatedRows ?? 0) > 0;
      if (isNew && most) await refuseMore(transaction, 'outputQueue', owner, most, 1);
      return isNew;
    });
  }

  /** `added`: how many of those counted this transaction has added. */
  async function refuseMore(
    queries: Queries,
    table: 'pipeline' | 'outputQueue',
    owner: string,
    most = 0,
    added = 0,
  ): Promise<void> {
    if (most === 0) return;
    const row = await queries
      .selectFrom(table)
      .select(({ fn }) => fn.countAll().as('count'))
      .where('owner', '=', owner)
      .executeTakeFirst();
    if (Number(row?.count ?? 0) - added < most) return;
    const [things, setting, command] =
      table === 'pipeline'
        ? ['pipelines', 'limits.pipelines', 'pismak pipeline delete']
        : ['output queues', 'limits.outputQueues', 'pismak queue delete'];
    throw new PismakError(
      'quota-exceeded',
      `you have ${most} ${things}, and that is the limit (setting ${setting}); delete some with \`${command}\``,
      { details: { limit: most } },
    );
  }
}

function unknownPipeline(name: string): PismakError {
  return new PismakError('not-found', sayRefusal('unknown.pipeline', { pipeline: name }));
}

function firstOf<Row extends { name: string }>(
  names: readonly string[],
  rows: readonly Row[],
): Row | undefined {
  return rows.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))[0];
}

function fromRow(row: Selectable<EngineTables['pipeline']>): Pipeline {
  const { stagesJson, ...rest } = row;
  const { owner, createdAt, changedBy, changedAt } = rest;
  return {
    ...rest,
    stages: JSON.parse(stagesJson),
    changedBy: changedBy ?? owner,
    changedAt: changedAt ?? createdAt,
  };
}
