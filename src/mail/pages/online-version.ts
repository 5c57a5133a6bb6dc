import type { Engine } from '../../engine/composition/engine.ts';
import { type PublicAnswer, type PublicPage, stateOf } from '../../engine/house.ts';
import { escapeHtml } from '../../formats/markup/escape.ts';
import { mailQueries } from '../database/tables.ts';
import { unsubscribe } from '../inbound/unsubscribe.ts';
import { OpenMail } from '../opened/open-mail.ts';
import { openTokens } from '../tokens/tokens.ts';

/** The mail of a token. Unknown, forged and deleted tokens look the same. */
async function mailOf(engine: Engine, token: string | undefined) {
  const id = (await openTokens(engine)).read(token ?? '');
  if (id === undefined) return undefined;
  return mailQueries(engine).selectFrom('mail_mail').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The mail as it was sent, rendered again from its data and its version of the template. */
export const onlineVersion: PublicPage = {
  path: '/m/:token',
  summary: 'The online version of a mail',
  async show(engine, { parameters }) {
    const mail = await mailOf(engine, parameters.token);
    if (!mail) return undefined;
    const { html } = await (await stateOf(engine, OpenMail).composer()).render({
      ...mail,
      createdAt: Number(mail.createdAt),
    });
    // Pictures are allowed, as in the mail itself.
    return { ...page(html), hasImages: true };
  },
};

/** GET only asks, because link scanners must not unsubscribe anyone. POST unsubscribes, as mail programs do by RFC 8058. */
export const unsubscribePage: PublicPage = {
  path: '/m/:token/unsubscribe',
  summary: 'Unsubscribe from mails of this kind',
  async show(engine, { parameters }) {
    const mail = await mailOf(engine, parameters.token);
    if (!mail) return undefined;
    return page(
      `<!doctype html><meta charset="utf-8"><title>Unsubscribe</title><h1>Unsubscribe</h1>
<p>Stop sending mails of this kind to ${escapeHtml(mail.recipient)}?</p>
<form method="post"><button>Unsubscribe</button></form>`,
    );
  },
  async submit(engine, { parameters }) {
    const mail = await mailOf(engine, parameters.token);
    if (!mail) return undefined;
    await unsubscribe(engine, mail, 'link');
    return page(
      `<!doctype html><meta charset="utf-8"><title>Unsubscribed</title><h1>Done</h1>
<p>${escapeHtml(mail.recipient)} will get no more mails of this kind.</p>`,
    );
  },
};

function page(content: string): PublicAnswer {
  return { type: 'text/html; charset=utf-8', content };
}
