import type { Reply } from './outcome.ts';
import type { SmtpServer } from './server-url.ts';

type Auth = NonNullable<SmtpServer['auth']>;

/** Authenticates with the method given in the URL, or the best one the server offers. */
export async function authenticate(
  { method, user, secret }: Auth,
  offered: string,
  say: (line: string) => Promise<Reply>,
): Promise<void> {
  const offers = offered.toLowerCase().split(/\s+/);
  const chosen = method ?? (['plain', 'login'] as const).find((one) => offers.includes(one));
  if (!chosen) throw new Error(`offers no way to sign in that we know (AUTH ${offered || 'is missing'})`);
  const reply = await (chosen === 'login'
    ? login(user, secret, say)
    : say(
        chosen === 'plain'
          ? `AUTH PLAIN ${base64(`\0${user}\0${secret}`)}`
          : `AUTH XOAUTH2 ${base64(`user=${user}\x01auth=Bearer ${secret}\x01\x01`)}`,
      ));
  // XOAUTH2 answers 334 with the reason, and waits for an empty line before it refuses.
  const last = reply.code === 334 ? await say('') : reply;
  if (last.code !== 235) throw new Error(`refused to sign in ${user}: ${last.code} ${last.text}`);
}

async function login(user: string, secret: string, say: (line: string) => Promise<Reply>): Promise<Reply> {
  for (const line of ['AUTH LOGIN', base64(user)]) {
    const reply = await say(line);
    if (reply.code !== 334) return reply;
  }
  return say(base64(secret));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
