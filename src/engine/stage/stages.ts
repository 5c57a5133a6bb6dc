import type { z } from 'zod';
import { putsAreUsed } from '../blob-owners/blob-access.ts';
import { disown, own } from '../blob-owners/blob-owners.ts';
import type { Broker } from '../broker/broker.ts';
import type { Coordination, Unwatch } from '../coordination/coordination.ts';
import type { Database, Queries } from '../database/database.ts';
import type { ChangeLog } from '../event/change-log.ts';
import { changedSince } from '../ground/base-version.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { nearestName } from '../ground/nearest-name.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { Clock } from '../time/clock.ts';
import { overLimit } from './handling-limit.ts';
import { type Stage, type StageDefinition, stageDefinition } from './stage.ts';

/**
 * All stages. The database keeps every version of their definitions; the node `/stages/NAME` holds the number of
 * the newest version, and workers watch that.
 */
export interface Stages {
  list(): Promise<Stage[]>;
  /** Fails with `stage-unknown` and lists the known stages. */
  get(name: string): Promise<Stage>;
  history(name: string): Promise<{ version: number; changedAt: number; changedBy: string; stage: Stage }[]>;
  /** Throws `conflict` if the broker refuses its queue, and leaves nothing behind. With `keepIfRefused` it is created as broken. */
  create(
    definition: z.input<typeof stageDefinition>,
    by: string,
    options?: { keepIfRefused?: boolean },
  ): Promise<Stage>;
  /**
   * Missing fields stay as they are. A change without effect makes no new version. With `base`, only if that is still the newest
   * version.
   */
  change(name: string, patch: StagePatch, by: string, base?: number): Promise<Stage>;
  /** Refused with `conflict` while messages wait, unless forced: they would be lost. */
  delete(name: string, options?: { force?: boolean }): Promise<void>;
  /** Names and newest versions of all stages, now and after every change. */
  watch(coordination: Coordination, listener: (versions: Map<string, number>) => void): Unwatch;
  /**
   * Declares the queues and nodes of all stages: a crash between two steps may have skipped some. A stage whose queue
   * the broker refuses is broken (`QueueStatus.broken`); the others work.
   */
  reconcile(): Promise<void>;
  /** Tries again to declare this queue, if it belongs to a stage. Resolves to whether it does. */
  mend(queue: string): Promise<boolean>;
}

export type StagePatch = Partial<Omit<z.input<typeof stageDefinition>, 'name'>>;

const path = '/stages';

export function createStages(parts: {
  broker: Broker;
  coordination: Coordination;
  database: Database;
  processors: { check(processor: string, config: string): void };
  changes: ChangeLog;
  clock: Clock;
  /** Ends the assignments of workers to this stage. */
  takeWorkersOff(stage: string): Promise<void>;
  /** The broker's limit on the time of a handler; null = no limit. */
  handlingLimitMs?: number | null;
}): Stages {
  const { broker, coordination, database, processors, changes, clock, takeWorkersOff } = parts;
  const { handlingLimitMs = null } = parts;

  function check(definition: StageDefinition): void {
    processors.check(definition.processor, definition.config);
    const trouble = overLimit(definition, handlingLimitMs);
    if (trouble) throw new PismakError('invalid-input', trouble);
  }

  /** Declares the queue; a queue that the broker refuses is kept as broken until it can be declared. */
  async function declareOrKeep(stage: StageDefinition): Promise<void> {
    try {
      await broker.declare(stage.name, { maxLength: stage.maxLength, keepIfRefused: true, hasInbox: true });
    } catch (error) {
      if (!hasCode(error, 'conflict')) throw error;
    }
  }

  async function announce(stage: Stage): Promise<void> {
    await coordination.set(`${path}/${stage.name}`, String(stage.version));
    changes.add({ kind: 'stage', entity: stage.name, data: { version: stage.version } });
  }

  async function store(queries: Queries, definition: StageDefinition, version: number, by: string) {
    const now = clock.now();
    const row = { name: definition.name, version, definitionJson: JSON.stringify(definition) };
    await queries
      .insertInto('stage')
      .values({ ...row, updatedAt: now })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ version, definitionJson: row.definitionJson, updatedAt: now }),
      )
      .execute();
    await queries
      .insertInto('stageVersion')
      .values({ ...row, changedAt: now, changedBy: by })
      .execute();
    // Every version keeps its files: a message under way may still need the old ones.
    for (const file of definition.files) {
      await own(queries, file.hash, `stage:${definition.name}`, now);
      await putsAreUsed(queries, [file.hash], by);
    }
  }

  async function changedBySomebody({ name, version }: Stage, base: number): Promise<PismakError> {
    const row = await database.query
      .selectFrom('stageVersion')
      .select(['changedBy', 'changedAt'])
      .where('name', '=', name)
      .where('version', '=', version)
      .executeTakeFirst();
    const { changedBy = null, changedAt = null } = row ?? {};
    return changedSince(`stage ${name}`, base, { version, changedBy, changedAt });
  }

  async function exists(name: string): Promise<boolean> {
    const rows = await database.query.selectFrom('stage').select('name').where('name', '=', name).execute();
    return rows.length > 0;
  }

  async function hasQueue(name: string): Promise<boolean> {
    return ifKnown(broker.status(name)).then((status) => status !== undefined);
  }

  async function refuseWaiting(name: string): Promise<void> {
    const status = await ifKnown(broker.status(name));
    if (!status) return;
    const waiting = status.ready.high + status.ready.normal + status.delayed + status.inFlight + status.dead;
    if (waiting === 0) return;
    throw new PismakError('conflict', sayRefusal('conflict.messages-wait', { stage: name, waiting }));
  }

  const stages: Stages = {
    async list() {
      const rows = await database.query.selectFrom('stage').selectAll().orderBy('name').execute();
      return rows.map(fromRow);
    },

    async get(name) {
      const row = await database.query
        .selectFrom('stage')
        .selectAll()
        .where('name', '=', name)
        .executeTakeFirst();
      if (row) return fromRow(row);
      const known = (await stages.list()).map((stage) => stage.name);
      throw unknownStage(name, known);
    },

    async history(name) {
      const rows = await database.query
        .selectFrom('stageVersion')
        .selectAll()
        .where('name', '=', name)
        .orderBy('version', 'desc')
        .execute();
      return rows.map((row) => ({ ...row, stage: fromRow(row) }));
    },

    async create(input, by, { keepIfRefused = false } = {}) {
      const definition = stageDefinition.parse(input);
      check(definition);
      const { name, maxLength } = definition;
      if (await exists(name)) throw alreadyExists(name);
      const isNewQueue = !(await hasQueue(name));
      // The queue first: a stage whose queue is refused must not be stored.
      if (keepIfRefused) await declareOrKeep(definition);
      else await broker.declare(name, { maxLength, hasInbox: true });
      const storing = database.transaction(async (transaction) => {
        // Continue the version numbers of a deleted stage with this name: a version always means one definition.
        const last = await transaction
          .selectFrom('stageVersion')
          .select(({ fn }) => fn.max('version').as('version'))
          .where('name', '=', definition.name)
          .executeTakeFirst();
        const taken = await transaction
          .selectFrom('stage')
          .select('name')
          .where('name', '=', definition.name)
          .execute();
        if (taken.length > 0) throw alreadyExists(name);
        const version = Number(last?.version ?? 0) + 1;
        await store(transaction, definition, version, by);
        return { ...definition, version };
      });
      const stage = await storing.catch(async (error: unknown) => {
        // Unless another process has just created the stage.
        if (isNewQueue && !(await exists(name))) await broker.remove(name);
        throw error;
      });
      await announce(stage);
      return stage;
    },

    async change(name, patch, by, base) {
      const before = await stages.get(name);
      if (base !== undefined && base !== before.version) throw await changedBySomebody(before, base);
      const { version: _, ...old } = before;
      const definition = stageDefinition.parse({ ...old, ...patch });
      check(definition);
      const stage = await database.transaction(async (transaction) => {
        const row = await transaction
          .selectFrom('stage')
          .selectAll()
          .where('name', '=', name)
          .executeTakeFirst();
        if (!row || row.version !== before.version) return undefined;
        if (row.definitionJson === JSON.stringify(definition)) return before;
        await store(transaction, definition, before.version + 1, by);
        return { ...definition, version: before.version + 1 };
      });
      if (!stage) throw await changedBySomebody(await stages.get(name), before.version);
      if (stage.version !== before.version) {
        await declareOrKeep(stage);
        await announce(stage);
      }
      return stage;
    },

    async delete(name, { force = false } = {}) {
      const stage = await stages.get(name);
      if (!force) await refuseWaiting(name);
      // Workers stop first, so that none takes a message from a queue about to be deleted.
      await coordination.delete(`${path}/${name}`);
      await takeWorkersOff(name);
      try {
        // Check again now that no worker reads it: a request may have come meanwhile.
        if (!force) await refuseWaiting(name);
        // The row last: until everything else is gone, the command can be repeated.
        await ifKnown(broker.remove(name));
      } catch (error) {
        await announce(stage);
        throw error;
      }
      await database.transaction(async (transaction) => {
        await transaction.deleteFrom('stage').where('name', '=', name).execute();
        await disown(transaction, `stage:${name}`);
      });
      changes.add({ kind: 'stage', entity: name, data: { deleted: true } });
    },

    watch(session, listener) {
      return session.watchChildren(path, (nodes) =>
        listener(new Map(nodes.map((node) => [node.name, Number(node.value)]))),
      );
    },

    async reconcile() {
      const known = await stages.list();
      for (const stage of known) {
        await declareOrKeep(stage);
        const node = await coordination.get(`${path}/${stage.name}`);
        if (node?.value !== String(stage.version)) {
          await coordination.set(`${path}/${stage.name}`, String(stage.version));
        }
      }
      const names = new Set(known.map((stage) => stage.name));
      for (const node of await coordination.children(path)) {
        if (!names.has(node.name)) await coordination.delete(node.path);
      }
    },

    async mend(queue) {
      if (!(await exists(queue))) return false;
      await declareOrKeep(await stages.get(queue));
      return true;
    },
  };
  return stages;
}

function alreadyExists(name: string): PismakError {
  return new PismakError('already-exists', sayRefusal('taken.stage', { stage: name }));
}

/** Undefined if the broker has no such queue. */
async function ifKnown<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (hasCode(error, 'queue-unknown')) return undefined;
    throw error;
  }
}

export function unknownStage(name: string, known: readonly string[]): PismakError {
  const near = nearestName(name, known) ?? null;
  return new PismakError('stage-unknown', sayRefusal('unknown.stage', { stage: name, near, known }), {
    details: { stage: name, known },
  });
}

function fromRow(row: { version: number; definitionJson: string }): Stage {
  // Rows of an older version get defaults for fields it didn't know.
  return { ...stageDefinition.parse(JSON.parse(row.definitionJson)), version: row.version };
}
