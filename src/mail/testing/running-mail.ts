import type { TestContext } from 'node:test';
import { runBacklog } from '../../engine/backlog/backlog-release.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { servingSlots } from '../../engine/worker/serving-slots.ts';
import { runServer } from '../../server/testing/running-server.ts';
import { runMail } from '../run-mail.ts';
import { type Misbehaviour, parseMisbehaviour } from '../sink/misbehaviour.ts';
import { openSink, type ReceivedMail } from '../sink/sink.ts';

/** The real server with the house of mail, its senders, and a sink as relay. */
export async function runMailHouse(
  t: TestContext,
  options: {
    misbehave?: string[];
    /** Extensions that the sink offers. */
    offers?: string[];
    mail?: Record<string, unknown>;
    settings?: Record<string, unknown>;
    senders?: boolean;
  } = {},
) {
  const received: ReceivedMail[] = [];
  const rules = (texts: readonly string[]): Misbehaviour[] => texts.map(parseMisbehaviour);
  const sink = await openSink({
    onMail: (mail) => received.push(mail),
    misbehave: rules(options.misbehave ?? []),
    ...(options.offers && { offers: options.offers }),
  });
  t.after(() => sink.close());
  const url = `smtp://127.0.0.1:${sink.port}`;
  const mail = { relays: [{ url }], retryMs: 20, ...options.mail };
  const server = await runServer(t, { settings: { ...options.settings, mail } });
  const { engine } = server;
  const slots = servingSlots(engine);
  const backlog = runBacklog({ ...engine, slots });
  const senders = options.senders === false ? undefined : await runMail(engine);
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await backlog.close();
    await senders?.close();
  };
  t.after(close);
  const admin = await server.signUp('root', 'admin');
  const anna = await server.signUp('anna', 'user');
  const call = async (name: string, input: object, as = admin) => {
    const { status, body } = await server.call(name, input, as);
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body;
  };
  await call('mailtype.create', {
    code: 'order',
    sender: 'Shop <shop@example.org>',
    subject: 'Order {{ number }}',
    template: '<p>Hello {{ name }}, order {{ number }}. <a href="{{ mail.onlineUrl }}">Online</a></p>',
  });
  const state = async (id: string) => (await call('mail.show', { mail: id })).state as string;
  const reaches = (id: string, wanted: string) =>
    eventually(`mail ${id} is ${wanted}`, async () => (await state(id)) === wanted);
  return { server, engine, sink, received, call, admin, anna, state, reaches, rules, close };
}
