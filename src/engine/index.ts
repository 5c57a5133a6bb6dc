/**
 * What programs may import as `pismak/engine` (or `pismak-engine`) to write processors, houses, and programs that
 * publish requests. Everything else in this folder may change from version to version.
 */

export type { Engine, HouseState } from './composition/engine.ts';
export type { Database, Migration, Queries } from './database/database.ts';
export { type Caller, mayTouch, type Role } from './ground/caller.ts';
export { type ErrorCode, errorStatus, hasCode, PismakError } from './ground/errors.ts';
export { version } from './ground/version.ts';
export {
  type CommandGroup,
  type House,
  type HouseParts,
  type PublicAnswer,
  type PublicPage,
  type SettingsSection,
  sectionOf,
  stateOf,
} from './house.ts';
export { defineOperation, type Operation, type OperationContext } from './operation/operation.ts';
export { type ByteStream, defineStream, type StreamOperation } from './operation/stream-operation.ts';
export {
  defineProcessor,
  type Job,
  type JobFiles,
  type LoadProcessor,
  PermanentFailure,
  type Process,
  type ProcessorRegistration,
  type Setup,
  WrongWorker,
} from './processor/processor.ts';
export { type ProcessorRun, runProcessor } from './processor/run-processor.ts';
export {
  decodeRequest,
  encodeRequest,
  type NewRequest,
  newFile,
  newRequest,
  type Request,
  type ResultFile,
} from './request/request.ts';
export { type Running, runService, type ServiceContext, type ServiceParts } from './service/service.ts';
export type { FirstStart } from './stage/first-start.ts';
export { type Clock, systemClock } from './time/clock.ts';
