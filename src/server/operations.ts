import type { LoadedHouse } from '../engine/house.ts';
import type { Operation } from '../engine/operation/operation.ts';
import { engineOperations } from '../engine/operation/operations/index.ts';
import type { StreamOperation } from '../engine/operation/stream-operation.ts';
import { accessOperations } from './access/operations.ts';

export type AnyOperation = Operation | StreamOperation;

/** Everything that can be done with an installation of these houses. */
export function operationsOf(houses: readonly LoadedHouse[]): AnyOperation[] {
  return [...engineOperations, ...accessOperations, ...houses.flatMap((house) => house.operations ?? [])];
}

/** Those that answer with data. */
export function callsOf(operations: readonly AnyOperation[]): Operation[] {
  return operations.filter((operation) => 'handler' in operation);
}

/** Those that answer with bytes. */
export function streamsOf(operations: readonly AnyOperation[]): StreamOperation[] {
  return operations.filter((operation) => 'open' in operation);
}
