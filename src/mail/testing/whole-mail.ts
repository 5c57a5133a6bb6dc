import type { Broker } from '../../engine/broker/broker.ts';

/** A mail of anna's as an application puts it into a queue. */
export function wholeMail(id: string, to: string, createdAt: number) {
  return {
    id,
    owner: 'anna',
    createdAt,
    notAfter: createdAt + 3_600_000,
    fields: { type: 'order', to: { address: to }, data: { number: id } },
  };
}

/** Publishes mails that share a message. */
export function publishWhole(broker: Pick<Broker, 'publish'>) {
  return (...mails: ReturnType<typeof wholeMail>[]) =>
    broker.publish('mail.transactional', {
      id: mails[0]?.id ?? '',
      body: Buffer.from(JSON.stringify({ mails })),
      headers: { 'pismak-owner': 'anna' },
    });
}
