import type { LoadedHouse } from '../engine/house.ts';
import type { Operation } from '../engine/operation/operation.ts';
import { engineOperations } from '../engine/operation/operations/index.ts';
import type { StreamOperation } from '../engine/operation/stream-operation.ts';
import { accessOperations } from './access/operations.ts';
import { defineSessionShow } from './access/session-show.ts';

export type AnyOperation = Operation | StreamOperation;

/** All operations of an installation with these houses. */
export function operationsOf(houses: readonly Pick<LoadedHouse, 'operations'>[]): AnyOperation[] {
  return allOf<AnyOperation>(houses);
}

function allOf<Kind>(houses: readonly { operations?: readonly Kind[] }[]): (AnyOperation | Kind)[] {
  const ofHouses = houses.flatMap((house) => house.operations ?? []);
  return [...engineOperations, ...accessOperations, sessionShow, ...ofHouses];
}

const sessionShow = defineSessionShow((houses) => allOf(houses));

/** The operations that answer with data. */
export function callsOf(operations: readonly AnyOperation[]): Operation[] {
  return operations.filter((operation) => 'handler' in operation);
}

/** The operations that answer with bytes. */
export function streamsOf(operations: readonly AnyOperation[]): StreamOperation[] {
  return operations.filter((operation) => 'open' in operation);
}
