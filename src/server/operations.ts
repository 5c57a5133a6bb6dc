import type { LoadedHouse } from '../engine/house.ts';
import type { Operation } from '../engine/operation/operation.ts';
import { engineOperations } from '../engine/operation/operations/index.ts';
import type { StreamOperation } from '../engine/operation/stream-operation.ts';
import { accessOperations } from './access/operations.ts';

export type AnyOperation = Operation | StreamOperation;

/** All operations of an installation with these houses. */
export function operationsOf(houses: readonly LoadedHouse[]): AnyOperation[] {
  return [...engineOperations, ...accessOperations, ...houses.flatMap((house) => house.operations ?? [])];
}

/** The operations that answer with data. */
export function callsOf(operations: readonly AnyOperation[]): Operation[] {
  return operations.filter((operation) => 'handler' in operation);
}

/** The operations that answer with bytes. */
export function streamsOf(operations: readonly AnyOperation[]): StreamOperation[] {
  return operations.filter((operation) => 'open' in operation);
}
