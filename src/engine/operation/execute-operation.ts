import { ZodError } from 'zod';
import type { Engine } from '../composition/engine.ts';
import { type Caller, mayTouch } from '../ground/caller.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import { sayRefusal } from '../ground/refusals.ts';
import type { Sentence } from '../ground/sentence.ts';
import { shorten } from '../ground/shorten.ts';
import { type EndedCall, isAuditedChange, toAuditEntry } from './audit-policy.ts';
import { authorise } from './authorise.ts';
import { ruleAbout, ruleOf } from './broken-rule.ts';
import type { Operation, OperationContext } from './operation.ts';
import { runHandler } from './run-handler.ts';

/**
 * The only way to run an operation, for HTTP and the command line alike. Checks the caller first, then the input, then
 * the owner of the thing; checks the output too, and audits changes. Throws only `PismakError`s that may be shown to
 * the caller.
 */
export async function executeOperation(
  engine: Engine,
  operation: Operation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  address: string = caller?.address ?? '',
): Promise<unknown> {
  return engine.busyWatch.during(operation.name, () =>
    execute(engine, operation, caller, rawInput, signal, address),
  );
}

async function execute(
  engine: Engine,
  operation: Operation,
  caller: Caller | undefined,
  rawInput: unknown,
  signal: AbortSignal,
  address: string,
): Promise<unknown> {
  let outcome = 'ok';
  let foreignOwner: string | undefined;
  try {
    const context = { engine, caller: authorise(operation, caller, address), signal };
    const input = await checkInput(operation, rawInput);
    await checkOwner(operation, context, input);
    if (operation.stores) engine.disk.check();
    if (!isAuditedChange(operation)) foreignOwner = await findForeignOwner(operation, context, input);
    const output = await runHandler(operation, context, input);
    return await engine.busyWatch.sync(operation.name, () => checkOutput(operation, output));
  } catch (error) {
    const shown = cancelled(error, signal) ?? presentable(error, engine, operation.name);
    outcome = shown.code;
    throw shown;
  } finally {
    await auditCall(engine, { operation, caller, address, rawInput, outcome, foreignOwner });
  }
}

export async function auditCall(engine: Engine, call: EndedCall): Promise<void> {
  const entry = toAuditEntry(call);
  if (entry) await engine.audit.record(entry);
}

/** An error that is safe to show: anything unexpected is logged under an id, and the caller gets only the id. */
export function presentable(
  error: unknown,
  engine: Pick<Engine, 'log' | 'clock'>,
  doing: string,
): PismakError {
  if (error instanceof PismakError && error.code !== 'internal') return error;
  if (error instanceof ZodError) return invalidInput(error);
  const id = newId(engine.clock);
  engine.log.error({ err: error, id, doing }, 'an operation failed unexpectedly');
  return new PismakError('internal', sayRefusal('failed.internal', { id }), {
    cause: error,
    details: { id },
  });
}

/** A handler that stops because the caller left or the server is closing has not failed. */
function cancelled(error: unknown, signal: AbortSignal): PismakError | undefined {
  if (!signal.aborted || !(error instanceof Error) || error.name !== 'AbortError') return undefined;
  return new PismakError('unavailable', 'the call was cancelled before it was done; try again', {
    cause: error,
  });
}

export async function checkInput(operation: Pick<Operation, 'input'>, rawInput: unknown): Promise<unknown> {
  const result = await operation.input.safeParseAsync(rawInput ?? {});
  if (!result.success) throw invalidInput(result.error);
  return result.data;
}

/** Shown first; once a caller has corrected these, it learns about the rest. */
const mostIssues = 5;

function invalidInput(error: ZodError): PismakError {
  const issues = error.issues.slice(0, mostIssues).map((issue) => ({
    path: shorten(issue.path.map(String).join('.'), 100),
    ...shortRule(issue),
  }));
  const lines = issues.map(({ path, message }) => ruleAbout(path === '' ? 'the input' : path, message));
  const sentence = sayRefusal('refused.input', { problems: lines });
  return new PismakError('invalid-input', sentence, { cause: error, details: { issues } });
}

function shortRule(issue: ZodError['issues'][number]): Sentence {
  const rule = ruleOf(issue);
  return { ...rule, message: shorten(rule.message, 200) };
}

export async function checkOwner(
  operation: Pick<Operation, 'owner'>,
  context: OperationContext,
  input: unknown,
): Promise<void> {
  if (typeof operation.owner !== 'function' || context.caller.role === 'admin') return;
  let owner: string | undefined;
  try {
    owner = await operation.owner(context, input);
  } catch (error) {
    // An owner lookup with its own "not found" message would reveal which things exist.
    if (!hasCode(error, 'not-found') && !hasCode(error, 'queue-unknown')) throw error;
  }
  if (owner === undefined || !mayTouch(context.caller, owner)) {
    throw new PismakError('not-found', sayRefusal('unknown.or-foreign', {}));
  }
}

/** The owner of the thing that an administrator reads, if it is another user. */
export async function findForeignOwner(
  operation: Pick<Operation, 'owner'>,
  context: OperationContext,
  input: unknown,
): Promise<string | undefined> {
  if (typeof operation.owner !== 'function' || context.caller.role !== 'admin') return undefined;
  // If the thing can't be found, the handler reports it.
  const owner = await operation.owner(context, input).catch(() => undefined);
  return owner === context.caller.name ? undefined : owner;
}

async function checkOutput(operation: Operation, output: unknown): Promise<unknown> {
  const result = await operation.output.safeParseAsync(output);
  if (result.success) return result.data;
  throw new Error(`${operation.name} returned an undeclared output: ${result.error.message}`);
}
