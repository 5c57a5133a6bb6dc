import { type Clock, sleep } from '../time/clock.ts';
import { dummySeconds, dummySettings, parseDummyConfig } from './dummy-config.ts';
import { defineProcessor, type ProcessorRegistration } from './processor.ts';

/** Pretends to work: waits for the configured time, and fails at the configured rate. For trying out a pipeline. */
export function dummyProcessor(clock: Clock): ProcessorRegistration {
  return {
    name: 'dummy',
    summary: 'waits instead of working: PT = DS * TIME_SCALE + TIME_DELTA; fails at FAILURE_RATE',
    check: parseDummyConfig,
    settings: dummySettings,
    // In the worker's own thread, because all it does is wait.
    inline: defineProcessor(async (setup) => {
      const config = parseDummyConfig(setup.config);
      return async (job) => {
        const [first] = job.files.names();
        const size = first === undefined ? 0 : job.files.size(first);
        const seconds = dummySeconds(config, size, setup.random());
        job.log(`waiting ${seconds.toFixed(3)} s for ${size} bytes`);
        await sleep(clock, seconds * 1000, job.signal);
        if (job.signal.aborted) throw new Error('stopped');
        if (setup.random() < config.failureRate) throw new Error('failed, as FAILURE_RATE asks');
      };
    }),
  };
}
