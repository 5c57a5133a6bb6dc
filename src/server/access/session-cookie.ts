import type { FastifyReply } from 'fastify';
import type { Settings } from '../../engine/settings/settings.ts';
import { longestSessionMs } from './sessions.ts';

/** How the session's token travels: in a cookie that no script can read and no other site can use. */
export interface SessionCookie {
  name: string;
  /** Sets or clears the cookie if the operation calls for it. Returns what the body of the answer may show. */
  dress(operation: string, output: unknown, reply: FastifyReply): unknown;
}

/** The operations whose answer has the token of a new session. */
const opensSession = new Set(['session.login', 'setup.claim', 'user.recover']);

export function createSessionCookie({ publicUrl }: Settings['http']): SessionCookie {
  const secure = publicUrl?.startsWith('https:') ?? false;
  // The prefix makes browsers refuse a cookie of this name from a neighbouring subdomain.
  const name = secure ? '__Host-pismak_session' : 'pismak_session';
  const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
  return {
    name,
    dress(operation, output, reply) {
      if (operation === 'session.logout') reply.clearCookie(name, options);
      if (!opensSession.has(operation)) return output;
      const { token, ...shown } = output as { token: string; expiresAt: number };
      reply.setCookie(name, token, { ...options, maxAge: longestSessionMs / 1000 });
      return shown;
    },
  };
}
