import assert from 'node:assert/strict';
import { ManualClock } from '../../engine/time/clock.ts';
import { runServer } from '../../server/testing/running-server.ts';

const now = Date.parse('2026-04-10T12:00:00Z');

/** An event of March. */
export const event = (fields: object) => ({
  kind: 'keyword',
  entity: 17,
  user: 3,
  split: 'context',
  at: '2026-03-29T01:59:00+01:00',
  clicks: 1,
  ...fields,
});
export const march = { kind: 'keyword', user: 3, from: '2026-03-01', to: '2026-03-31' };

/** The real server on 10 April 2026, and what tests ask it as its administrator. */
export async function openStatisticsApi(t: { after(close: () => unknown): void }) {
  const server = await runServer(t, { clock: new ManualClock(now) });
  const admin = await server.signUp('root', 'admin');
  let batches = 0;
  const call = async (operation: string, input: object) => {
    const answer = await server.call(`statistics.${operation}`, input, admin);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const refusal = async (operation: string, input: object, as: { key?: string } = admin) => {
    const { status, body } = await server.call(`statistics.${operation}`, input, as);
    return `${status} ${body.error.message}`;
  };
  const ingest = (events: unknown[], token = `batch ${batches++}`) => call('ingest', { token, events });
  const clicksBy = async (question: object) => {
    const { points } = await call('series', { ...march, dimensions: ['clicks'], ...question });
    return points.map(({ id, sums }: { id: string; sums: { clicks: number } }) => [id, sums.clicks]);
  };
  return { server, admin, call, refusal, ingest, clicksBy };
}
