import { type AuditEntry, actorOf } from '../audit/audit.ts';
import type { Repeats } from '../audit/repeated-entries.ts';
import type { Caller } from '../ground/caller.ts';
import { networkOf } from '../network/network-of.ts';
import { maskInput } from './mask-input.ts';
import type { Operation } from './operation.ts';

/** A finished call. */
export interface EndedCall {
  operation: Pick<Operation, 'name'> & Partial<Pick<Operation, 'changes' | 'audited' | 'secrets'>>;
  caller: Caller | undefined;
  address: string;
  rawInput: unknown;
  outcome: string;
  /** The owner of the thing, if an administrator read it. */
  foreignOwner: string | undefined;
}

/** Refusals of one kind per hour that get rows of their own; the last row counts the rest. */
const refusalRows = 5;

/**
 * What the audit log records about a call; undefined: nothing. It records changes, both done and refused, and administrators'
 * reads of users' things. Unauthenticated callers can only add a bounded number of rows.
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
    // A program that polls the same thing every second adds one row an hour.
    const repeats = { pool: 'read', key: keyOf(...kind, address, inputJson), rows: 1 } as const;
    return { ...entry, inputJson, owner: foreignOwner, repeats };
  }
  if (outcome === 'ok') return { ...entry, inputJson: input() };
  if (!caller) {
    // Unauthenticated calls attempt nothing, and what a stranger sends is not worth keeping.
    if (outcome === 'not-signed-in') return undefined;
    return { ...entry, inputJson: '{}', repeats: ofStranger(kind, address) };
  }
  const key = keyOf(caller.name, entry.operation, outcome);
  const repeats = { pool: 'refusal', key, rows: refusalRows, overflow: outcome } as const;
  return { ...entry, inputJson: input(), repeats };
}

/** Other calls are recorded only when administrators read what belongs to other users. */
export function isAuditedChange(operation: EndedCall['operation']): boolean {
  return operation.changes === true && operation.audited !== false;
}

/** Entries that anybody can cause: one row an hour per kind and network, for a limited number of networks. */
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
