import { type AuditEntry, actorOf } from '../audit/audit.ts';
import type { Repeats } from '../audit/repeated-entries.ts';
import type { Caller } from '../caller.ts';
import { networkOf } from '../network/network-of.ts';
import { maskInput } from './mask-input.ts';
import type { Operation } from './operation.ts';

/** A call that has ended. */
export interface EndedCall {
  operation: Pick<Operation, 'name'> & Partial<Pick<Operation, 'changes' | 'audited' | 'secrets'>>;
  caller: Caller | undefined;
  address: string;
  rawInput: unknown;
  outcome: string;
  /** Set if an administrator read a thing of this user. */
  foreignOwner: string | undefined;
}

/** In an hour, so many refusals of one kind have rows of their own; the last of them counts the rest. */
const refusalRows = 5;

/**
 * What the audit log says about a call; undefined: nothing. Changes are recorded, done or refused, and what administrators
 * read of others. Strangers fill at most a bounded number of rows.
 */
export function toAuditEntry(call: EndedCall): AuditEntry | undefined {
  const { operation, caller, address, outcome, foreignOwner } = call;
  const entry = { caller, address, operation: operation.name, outcome };
  const input = () => maskInput(call.rawInput, operation.secrets);
  const kind = [actorOf(caller), entry.operation, outcome];

  if (!isAuditedChange(operation)) {
    const isForeign =
      foreignOwner !== undefined ||
      (operation.audited === true && caller?.role === 'admin' && outcome === 'ok');
    if (!isForeign) return undefined;
    const inputJson = input();
    // A program that looks at the same thing every second makes one row an hour.
    const repeats = { pool: 'read', key: keyOf(...kind, address, inputJson), rows: 1 } as const;
    return { ...entry, inputJson, owner: foreignOwner, repeats };
  }
  if (outcome === 'ok') return { ...entry, inputJson: input() };
  if (!caller) {
    // Without a sign-in nothing was tried, and what a stranger sends is not worth keeping.
    if (outcome === 'not-signed-in') return undefined;
    return { ...entry, inputJson: '{}', repeats: ofStranger(kind, address) };
  }
  const key = keyOf(caller.name, entry.operation, outcome);
  const repeats = { pool: 'refusal', key, rows: refusalRows, overflow: outcome } as const;
  return { ...entry, inputJson: input(), repeats };
}

/** Others are only recorded for administrators who reach for the things of others. */
export function isAuditedChange(operation: EndedCall['operation']): boolean {
  return operation.changes === true && operation.audited !== false;
}

/** Entries that anybody can cause: one row an hour per kind and network, and a limited number of networks. */
export function ofStranger(kind: readonly string[], address: string): Repeats {
  const [, ...what] = kind;
  return {
    pool: 'stranger',
    key: keyOf(...kind, networkOf(address)),
    rows: 1,
    overflow: keyOf(...what),
  };
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
