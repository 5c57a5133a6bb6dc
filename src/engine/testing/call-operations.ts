import { after, type TestContext } from 'node:test';
import type { Engine } from '../composition/engine.ts';
import type { Caller } from '../ground/caller.ts';
import { openEngine } from '../open-engine.ts';
import { executeOperation } from '../operation/execute-operation.ts';
import { engineOperations } from '../operation/operations/index.ts';
import { settingsSchema } from '../settings/settings.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export const admin: Caller = { name: 'root', role: 'admin', address: 'here' };
export const alice: Caller = { name: 'alice', role: 'user', address: 'here' };
export const mallory: Caller = { name: 'mallory', role: 'user', address: 'here' };
export const reader: Caller = { name: 'rita', role: 'reader', address: 'here' };

// biome-ignore lint/suspicious/noExplicitAny: a test may read any field
export type Answer = any;

/** An engine for one test file, without workers and services, called like the API and the command line call it. */
export async function openOperations() {
  const wholeFile = { after: after as TestContext['after'] };
  let engine: Engine | undefined;
  // Hooks run in the order added: the engine closes before its directory is removed.
  after(() => engine?.close());
  const data = await temporaryDirectory(wholeFile);
  engine = await openEngine(settingsSchema.parse({ data, log: { level: 'silent' } }), { purpose: 'test' });
  engine.processors.register({
    name: 'nothing',
    summary: 'Does nothing',
    inline: async () => async () => {},
  });
  return { engine, call: caller(engine) };
}

export function caller(engine: Engine) {
  const byName = new Map(engineOperations.map((operation) => [operation.name, operation]));
  return async (
    name: string,
    input: unknown = {},
    by: Caller = admin,
    signal = new AbortController().signal,
  ): Promise<Answer> => {
    const operation = byName.get(name);
    if (!operation) throw new Error(`there is no operation ${name}`);
    return executeOperation(engine, operation, by, input, signal);
  };
}
