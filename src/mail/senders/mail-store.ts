import { PismakError } from '../../engine/ground/errors.ts';
import { type MailType, type MailTypeInput, mailType } from '../model/mail-type.ts';

/** A source of mail types. Implement it for your own storage. */
export interface MailStore {
  /** Fails with `not-found`. */
  type(code: string): Promise<MailType & { version: number }>;
}

/** Types defined in the program. */
export function memoryStore(types: readonly MailTypeInput[]): MailStore {
  const known = new Map(types.map((input) => [input.code, { ...mailType.parse(input), version: 1 }]));
  return {
    async type(code) {
      const found = known.get(code);
      if (!found) throw new PismakError('not-found', `there is no mail type ${code}`);
      return found;
    },
  };
}

const freshMs = 30_000;

/** Types of a mail server, read over HTTP and cached for half a minute. While the server is away, cached types stay in use. */
export function httpStore(options: { url: string; key: string; now?: () => number }): MailStore {
  const { url, key, now } = options;
  return cached(async (code) => {
    const answer = await callServer(url, key, `mailtype/show?code=${encodeURIComponent(code)}`);
    const { version, ...rest } = answer as { version: number };
    return { ...mailType.parse(rest), version };
  }, now);
}

/** Caches types for half a minute; while the source is unavailable, cached types stay in use. */
export function cached(read: MailStore['type'], now: () => number = Date.now): MailStore {
  const known = new Map<string, { at: number; type: MailType & { version: number } }>();
  return {
    async type(code) {
      const kept = known.get(code);
      if (kept && now() - kept.at < freshMs) return kept.type;
      try {
        const type = await read(code);
        known.set(code, { at: now(), type });
        return type;
      } catch (error) {
        if (kept && error instanceof PismakError && error.code === 'unavailable') return kept.type;
        throw error;
      }
    },
  };
}

/** Calls an operation of a mail server. */
export async function callServer(url: string, key: string, path: string, input?: object): Promise<unknown> {
  if (!URL.canParse(url))
    throw new PismakError('configuration-invalid', `"${url}" is not a URL of a mail server`);
  let response: Response;
  try {
    response = await fetch(`${url.replace(/\/$/, '')}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${key}`, ...(input && { 'content-type': 'application/json' }) },
      ...(input && { method: 'POST', body: JSON.stringify(input) }),
      signal: AbortSignal.timeout(30_000),
    });
  } catch (error) {
    throw new PismakError('unavailable', `the mail server at ${url} does not answer`, { cause: error });
  }
  const answer = (await response.json().catch(() => ({}))) as { error?: { code: never; message: string } };
  if (response.ok) return answer;
  const {
    code = response.status >= 500 ? 'unavailable' : 'invalid-input',
    message = `status ${response.status}`,
  } = answer.error ?? {};
  throw new PismakError(code, message);
}
