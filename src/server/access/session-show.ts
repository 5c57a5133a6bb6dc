import { z } from 'zod';
import type { Callable, Caller } from '../../engine/ground/caller.ts';
import { mayCall } from '../../engine/operation/authorise.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { role } from './accounts.ts';

/** Tells callers what they may do, so that a page shows what it says and needs to know no role. `all` is what there is to call. */
export function defineSessionShow(
  all: (houses: readonly { operations?: readonly Callable[] }[]) => readonly Callable[],
): Operation {
  return defineOperation({
    name: 'session.show',
    summary: 'Show who you are and what you may do',
    role: 'reader',
    owner: 'caller',
    changes: false,
    input: z.strictObject({}),
    output: z.object({
      name: z.string(),
      role,
      scopes: z.array(z.string()),
      by: z.enum(['session', 'key', 'local']),
      houses: z.array(z.string()).describe('The houses of this installation'),
      operations: z.array(z.string()).describe('What you may call; what belongs to others is still refused'),
    }),
    example: {},
    handler: async ({ engine, caller }) => ({
      name: caller.name,
      role: caller.role,
      scopes: [...(caller.scopes ?? ['*'])],
      by: signedInBy(caller),
      houses: engine.houses.map(({ name }) => name),
      operations: all(engine.houses)
        .filter((operation) => mayCall(operation, caller))
        .map(({ name }) => name),
    }),
  });
}

function signedInBy({ credential }: Caller): 'session' | 'key' | 'local' {
  if (credential === undefined) return 'local';
  return credential.startsWith('key:') ? 'key' : 'session';
}
