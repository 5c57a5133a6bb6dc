import { formatDay, unitsWithin } from '../calendar/days.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import type { Snapshot } from '../cube/snapshot.ts';
import type { Statistics } from '../opened/statistics.ts';
import { planSeries, type Scan } from '../plan/plan.ts';
import { type AskedSeries, toQuestion } from './answer.ts';
import { readHours } from './hours.ts';
import { scansOver } from './select-entities.ts';
import { readSeries } from './series.ts';

export interface Explanation {
  points: { id: string; start: string; end: string; scans: string[] }[];
  filter: string[];
  read: { blocks: number; rows: number; loaded: number; loadedBytes: number };
  entities: number;
  ms: number;
}

/** Runs the question and describes how it was answered. */
export async function explainSeries(
  statistics: Statistics,
  asked: AskedSeries,
  signal?: AbortSignal,
): Promise<Explanation> {
  const { reader, attributes, days } = statistics;
  const { granularity } = asked;
  const question = toQuestion(statistics, asked);
  const { range } = question;
  const began = performance.now();
  const explain = async (view: CubeView | undefined): Promise<Explanation> => {
    const { entities } =
      granularity === 'hour'
        ? await readHours(view, question, { attributes, days })
        : await readSeries(view, { ...question, granularity }, attributes);
    const ms = Math.round((performance.now() - began) * 1000) / 1000;
    const { blocks = 0, rows = 0, loaded = 0, loadedBytes = 0 } = view?.counts ?? {};
    const explained = { read: { blocks, rows, loaded, loadedBytes }, entities, ms };
    if (!view?.snapshot.history || granularity === 'hour') return { ...explained, points: [], filter: [] };
    const { snapshot } = view;
    const shown = (scans: readonly Scan[]) => scans.flatMap((scan) => describe(snapshot, scan));
    const planned =
      granularity === 'none'
        ? [{ id: 'none', ...range, scans: scansOver(view, range) }]
        : planSeries(range, granularity, snapshot.cost);
    const looked: Scan[] =
      asked.over === 'all' ? [{ level: 'total', bucket: 0, sign: 1 }] : scansOver(view, range);
    return {
      ...explained,
      points: planned.map(({ id, from, to, scans }) => ({
        id,
        start: formatDay(from),
        end: formatDay(to),
        scans: shown(scans),
      })),
      filter: question.filter && question.filter.dimensions.length > 0 ? shown(looked) : [],
    };
  };
  return reader.view(question.kind.name, question.user, explain, signal);
}

/** `+month 2026-01 (1200 rows, 3 newer segments)`; empty for an empty unit. */
function describe(snapshot: Snapshot, { level, bucket, sign }: Scan): string[] {
  const rows = snapshot.unitsAt(level, bucket).reduce((sum, unit) => sum + unit.rows, 0);
  const newer = snapshot.newer(level, bucket).length;
  if (rows === 0 && newer === 0) return [];
  const name =
    level === 'total'
      ? 'total'
      : level === 'week'
        ? `week ${unitsWithin('week', { from: bucket, to: bucket })[0]?.id}`
        : `${level} ${formatDay(bucket).slice(0, level === 'month' ? 7 : 10)}`;
  const segments = newer === 0 ? '' : `, ${newer} newer segment${newer === 1 ? '' : 's'}`;
  return [`${sign === 1 ? '+' : '-'}${name} (${rows} row${rows === 1 ? '' : 's'}${segments})`];
}
