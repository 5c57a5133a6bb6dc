import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { nearestName } from '../../engine/ground/nearest-name.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { statisticsEntityCreate, statisticsEntityRemove, statisticsEntityUpdate } from './entity.ts';
import { statisticsExplain, statisticsSeries, statisticsTable } from './read.ts';
import { statisticsRollup } from './upkeep.ts';
import { statisticsIngest } from './write.ts';

/** `keyword.filter2` is `statistics.table` with the kind keyword. Series and tables have names here that older programs call. */
const ofKind: Readonly<Record<string, Operation>> = {
  granularizedSumStats: statisticsSeries,
  filter2: statisticsTable,
  explain: statisticsExplain,
  create: statisticsEntityCreate,
  update: statisticsEntityUpdate,
  remove: statisticsEntityRemove,
};
const plain: Readonly<Record<string, Operation>> = {
  ingest: statisticsIngest,
  rollup: statisticsRollup,
};

export const statisticsRpc = defineOperation({
  name: 'statistics.rpc',
  summary: 'Call a method of a kind, such as keyword.granularizedSumStats; also ingest and rollup',
  role: 'reader',
  owner: 'caller',
  changes: true,
  stores: true,
  // The called operation is audited and takes its turn by itself.
  audited: false,
  bodyLimit: 16 * 2 ** 20,
  input: z.strictObject({
    method: z
      .string()
      .min(1)
      .max(100)
      .describe('KIND.granularizedSumStats, KIND.filter2, KIND.create, ingest...'),
    parameters: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('Input of the method, without the kind'),
  }),
  output: z.strictObject({ result: z.unknown() }),
  example: {
    method: 'keyword.granularizedSumStats',
    parameters: { user: 3, from: '2026-01-01', to: '2026-03-31', granularity: 'week' },
  },
  async handler({ engine, caller, signal }, { method, parameters }) {
    const dot = method.indexOf('.');
    const kind = dot < 0 ? undefined : method.slice(0, dot);
    const verb = method.slice(dot + 1);
    const methods = kind === undefined ? plain : ofKind;
    const operation = Object.hasOwn(methods, verb) ? methods[verb] : undefined;
    if (!operation) {
      const near = nearestName(verb, Object.keys(methods));
      throw new PismakError(
        'invalid-input',
        `method: there is no ${method}${near ? `; did you mean ${kind === undefined ? '' : `${kind}.`}${near}?` : ''}`,
      );
    }
    const { executeOperation } = await import('../../engine/operation/execute-operation.ts');
    // Checks role, scopes and input as if it had been called directly.
    const input = kind === undefined ? parameters : { ...parameters, kind };
    return { result: await executeOperation(engine, operation, caller, input, signal) };
  },
});
