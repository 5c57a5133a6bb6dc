/** A thread that simulates: a simulation never yields. */
import { answerInThread } from '../process/in-thread.ts';
import { thinTrace } from '../trace/thin-trace.ts';
import { SimulatedTrace } from './recorder.ts';
import { report } from './report.ts';
import type { SimulationAnswer, SimulationQuestion } from './simulate-apart.ts';

await answerInThread(async ({ load, policies, seed, seeds, steps }: SimulationQuestion) => {
  const runs: SimulationAnswer = [];
  for (const policy of policies) {
    const recorder = new SimulatedTrace();
    const figures = await report(load, { policy, seed, seeds, recorder });
    runs.push({ ...figures, trace: thinTrace(recorder.trace, steps) });
  }
  return runs;
});
