import type { Trace } from './trace.ts';

/** Distinguishes a stage in a picture: its number, a colour and, from the ninth stage on, a pattern. */
export interface StageSign {
  stage: string;
  number: number;
  colour: string;
  /** The same, darker: a thin light line is invisible on white. */
  line: string;
  /** Whether dark text can be read on the colour. */
  light: boolean;
  /** 0: plain. */
  pattern: number;
}

/** The colours of Okabe and Ito, which colour-blind people can tell apart; ordered so that neighbours differ in grey. */
const colours = [
  { colour: '#0072b2', line: '#005a8e', light: false },
  { colour: '#e69f00', line: '#a87400', light: true },
  { colour: '#009e73', line: '#007a59', light: false },
  { colour: '#f0e442', line: '#9c9316', light: true },
  { colour: '#d55e00', line: '#a84a00', light: false },
  { colour: '#56b4e9', line: '#2a80b0', light: true },
  { colour: '#8a4f7d', line: '#6b3c61', light: false },
  { colour: '#cc79a7', line: '#9a4f7a', light: true },
] as const;

export const patternCount = 4;

/** The signs of the stages in the trace, in queue order. Shared stages have no name and no sign. */
export function stageSigns(trace: Trace): Map<string, StageSign> {
  const served = trace.workers.flatMap(({ spans }) => spans.map(({ stage }) => stage));
  const queued = trace.queues.map(({ stage }) => stage);
  const names = [...new Set([...queued, ...served])].filter((stage) => stage !== '');
  return new Map(
    names.map((stage, index) => {
      const { colour, line, light } = colours[index % colours.length] ?? colours[0];
      const pattern = Math.floor(index / colours.length) % patternCount;
      return [stage, { stage, number: index + 1, colour, line, light, pattern }];
    }),
  );
}

/** Leaves out queues that never had messages or workers, because they would only take space. */
export function withoutIdleQueues(trace: Trace): Trace {
  const served = new Set(
    trace.workers.flatMap(({ spans }) =>
      spans.filter(({ kind }) => kind !== 'idle').map(({ stage }) => stage),
    ),
  );
  const queues = trace.queues.filter(
    ({ stage, points }) => served.has(stage) || points.some(({ length }) => (length ?? 0) > 0),
  );
  return { ...trace, queues };
}
