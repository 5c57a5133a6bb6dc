import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode, messageOf } from '../../engine/ground/errors.ts';
import { everyPeriod, type Running, runService } from '../../engine/service/service.ts';
import { endsWithin } from '../../engine/time/deadline.ts';
import type { WakeUp } from '../../engine/time/wake-up.ts';
import { mailQueries } from '../database/tables.ts';
import { answerText } from '../delivery/answer-text.ts';
import { type Campaign, releaseCampaign, tellCampaign, toCampaign } from './campaign.ts';
import { failCampaign } from './fail-campaign.ts';
import { generate } from './generate.ts';

type CampaignEngine = Pick<
  Engine,
  | 'alerts'
  | 'backlog'
  | 'blobs'
  | 'changes'
  | 'clock'
  | 'database'
  | 'disk'
  | 'events'
  | 'log'
  | 'openSession'
  | 'settings'
>;

const periodMs = 1000;
/** Each lane needs memory for the people it reads. */
const mostLanes = 4;
const leavingMs = 2000;
const lasting = ['invalid-input', 'blob-missing', 'quota-exceeded'] as const;

/** Generates the mails of started campaigns and notices when one has ended: an elected service. */
export function runCampaigns(parts: CampaignEngine, wakeUp: WakeUp): Running {
  const { clock, log, openSession } = parts;
  return runService({
    name: 'mail.campaigns',
    clock,
    log,
    openSession,
    run: async ({ signal }) => {
      const lanes = new Lanes((campaign) => work(parts, campaign, signal));
      try {
        await everyPeriod({ name: 'mail.campaigns', clock, log, periodMs, signal, wakeUp }, async () => {
          const rows = await mailQueries(parts)
            .selectFrom('mail_campaign')
            .selectAll()
            .where(({ and, eb, or }) =>
              or([
                eb('state', '=', 'running'),
                and([eb('state', '=', 'held'), eb('startAt', '>', 0), eb('startAt', '<=', clock.now())]),
              ]),
            )
            .orderBy('startedAt')
            .execute();
          lanes.start(rows.map(toCampaign), signal);
          return undefined;
        });
      } finally {
        // A database that does not answer must not delay a new leader. A late answer changes nothing: generation notices that it lost.
        await endsWithin(clock, leavingMs, lanes.end());
      }
    },
  });
}

/**
 * Campaigns of one owner run one after the other; owners do not wait for each other. Two million people take a minute, a slow
 * database an hour.
 */
class Lanes {
  readonly #work: (campaign: Campaign) => Promise<void>;
  readonly #running = new Map<string, Promise<void>>();
  readonly #errors: unknown[] = [];

  constructor(work: (campaign: Campaign) => Promise<void>) {
    this.#work = work;
  }

  /** Throws the first error since the last call. */
  start(campaigns: readonly Campaign[], signal: AbortSignal): void {
    for (const [owner, own] of Map.groupBy(campaigns, (campaign) => campaign.owner)) {
      if (this.#running.has(owner) || this.#running.size >= mostLanes) continue;
      const lane = this.#drive(own, signal).finally(() => this.#running.delete(owner));
      this.#running.set(owner, lane);
    }
    const [first] = this.#errors.splice(0);
    if (first !== undefined) throw first;
  }

  async end(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #drive(campaigns: readonly Campaign[], signal: AbortSignal): Promise<void> {
    for (const campaign of campaigns) {
      if (signal.aborted) return;
      await this.#work(campaign).catch((error) => this.#errors.push(error));
    }
  }
}

async function work(parts: CampaignEngine, campaign: Campaign, signal: AbortSignal): Promise<void> {
  if (campaign.state === 'held') return releaseCampaign(parts, campaign);
  if (campaign.source < campaign.sources.length) {
    if (!(await mayBegin(parts, campaign))) return;
    try {
      if ((await generate(parts, campaign.id, signal)) === 'stopped') return;
    } catch (error) {
      // Only a bad audience or a limit ends a campaign. If a server is away, the next round tries again.
      if (!lasting.some((code) => hasCode(error, code))) {
        await noteProblem(parts, campaign, `it will be tried again: ${messageOf(error)}`);
        throw error;
      }
      return failCampaign(parts, campaign, messageOf(error));
    }
  }
  const queries = mailQueries(parts);
  if (campaign.isHeld) {
    await queries
      .updateTable('mail_campaign')
      .set({ state: 'held' })
      .where('id', '=', campaign.id)
      .where('state', '=', 'running')
      .execute();
    return tellCampaign(parts, campaign);
  }
  const open = await queries
    .selectFrom('mail_mail')
    .select('id')
    .where('campaign', '=', campaign.id)
    .where('state', 'in', ['waiting', 'sending', 'deferred'])
    .limit(1)
    .executeTakeFirst();
  if (open) return;
  const ended = await queries
    .updateTable('mail_campaign')
    .set({ state: 'done', endedAt: parts.clock.now() })
    .where('id', '=', campaign.id)
    .where('state', '=', 'running')
    .executeTakeFirst();
  if (Number(ended.numUpdatedRows) === 0) return;
  tellCampaign(parts, campaign);
  const { id, owner, name } = campaign;
  parts.events.emit({
    kind: 'mail.campaign-ended',
    entity: id,
    user: owner,
    at: parts.clock.now(),
    dimensions: { name },
  });
}

async function noteProblem(parts: CampaignEngine, { id }: Campaign, problem: string): Promise<void> {
  await mailQueries(parts)
    .updateTable('mail_campaign')
    .set({ problem: answerText(problem) })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();
}

/** Waits for the campaign it follows. Fails with it if that one failed or was cancelled. */
async function mayBegin(parts: CampaignEngine, campaign: Campaign): Promise<boolean> {
  if (campaign.after === '') return true;
  const before = await mailQueries(parts)
    .selectFrom('mail_campaign')
    .select(['name', 'state'])
    .where('id', '=', campaign.after)
    .executeTakeFirst();
  if (before === undefined || before.state === 'done') return true;
  const end =
    before.state === 'failed' ? 'failed' : before.state === 'cancelled' ? 'was cancelled' : undefined;
  if (end !== undefined)
    await failCampaign(parts, campaign, `campaign ${before.name}, which it follows, ${end}`);
  return false;
}
