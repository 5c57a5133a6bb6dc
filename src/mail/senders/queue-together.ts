import type { Broker, Lane } from '../../engine/broker/broker.ts';
import { inWholeMessages, wholeMailsPerMessage, wholeMessage } from '../delivery/mail-message.ts';
import { queueOf } from '../settings/settings.ts';

interface Queued {
  id: string;
  className: string;
  lane: Lane;
  /** The whole mail as JSON. */
  text: string;
}

interface Waiting extends Queued {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Mails sent in one turn of the event loop share messages: publishing a message costs as much as sending a mail. A single mail
 * never waits for others.
 */
export function queueTogether(
  broker: Broker,
  owner: string,
  inFlight: (className: string) => number | undefined,
): (mail: Queued) => Promise<void> {
  let waiting: Waiting[] = [];
  const publish = () => {
    const all = waiting;
    waiting = [];
    for (const [, mails] of Map.groupBy(all, ({ className, lane }) => `${lane} ${className}`)) {
      const { className = '', lane = 'normal' } = mails[0] ?? {};
      // A message has no more mails than may be in flight.
      const most = Math.min(wholeMailsPerMessage, inFlight(className) ?? wholeMailsPerMessage);
      for (const group of inWholeMessages(mails, most)) {
        const texts = group.map(({ text }) => text);
        broker.publish(queueOf(className), wholeMessage(group[0]?.id ?? '', texts, { owner, lane })).then(
          () => {
            for (const { resolve } of group) resolve();
          },
          (error) => {
            for (const { reject } of group) reject(error);
          },
        );
      }
    }
  };
  return (mail) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ ...mail, resolve, reject }) === 1) setImmediate(publish);
    });
}
