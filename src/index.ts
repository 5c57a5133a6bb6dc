/** What programs outside may import: `import { defineProcessor } from 'pismak'`. */
export {
  defineProcessor,
  type Job,
  type JobFiles,
  type LoadProcessor,
  PermanentFailure,
  type Process,
  type Setup,
} from './engine/processor/processor.ts';
export { type ProcessorRun, runProcessor } from './engine/processor/run-processor.ts';
