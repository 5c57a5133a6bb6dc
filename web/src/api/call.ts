import { CallError, errorOf } from './call-error.ts';
import { session } from './session.svelte.ts';
import { changing, type Operations } from './types.ts';

export type CallName = keyof Operations;
export type Input<Name extends CallName> = Operations[Name]['input'];
export type Output<Name extends CallName> = Operations[Name]['output'];

/**
 * Calls an operation: `await call('stage.ls', {})`. A failure is a `CallError` with the server's code. If the session has
 * ended, a dialog asks for the password over the page, and then the call goes on as if nothing had happened.
 */
export async function call<Name extends CallName>(
  name: Name,
  input: Input<Name>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Output<Name>> {
  const response = await ask(addressOf(name, input), name, input, signal);
  if (response.ok) return (await response.json()) as Output<Name>;
  const error = await errorOf(response);
  const ended = error.code === 'not-signed-in' && name !== 'session.login' && session.who !== undefined;
  if (!ended) throw error;
  await session.askAgain();
  return call(name, input, { ...(signal && { signal }) });
}

/** The address of a reading operation or a stream, for `href`, `src` and `EventSource`. */
export function addressOf<Name extends CallName>(name: Name, input: Input<Name>): string {
  const path = `/api/v1/${name.replace('.', '/')}`;
  if (changing.has(name)) return path;
  const query = new URLSearchParams();
  for (const [field, value] of Object.entries(input as Record<string, unknown>)) {
    if (value !== undefined)
      query.append(field, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

async function ask(address: string, name: CallName, input: unknown, signal?: AbortSignal): Promise<Response> {
  const body = changing.has(name) && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  };
  try {
    return await fetch(address, { ...body, ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new CallError({ code: 'unreachable', message: String(error), status: 0 });
  }
}
