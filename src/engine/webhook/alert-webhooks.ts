import type { AlertSubscriber } from '../alert/alert.ts';
import { ownerHeader } from '../broker/owner-header.ts';
import { newId } from '../ground/identity.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { newRequest, toMessage } from '../request/request.ts';
import type { Clock } from '../time/clock.ts';
import { installationOwner } from './secret.ts';
import { alertWebhookStage, type WebhookRequest, webhookFile } from './webhook.ts';

/** Sends every alert that is raised, repeated or cleared to each URL. */
export function alertWebhooks(parts: {
  outbox: Outbox;
  clock: Clock;
  urls: readonly string[];
}): AlertSubscriber {
  const { outbox, clock, urls } = parts;
  return async (transaction, { event, at, alert }) => {
    for (const url of urls) {
      const body = { event, at, alert: JSON.parse(JSON.stringify(alert)) };
      const content = Buffer.from(JSON.stringify({ url, event, body } satisfies WebhookRequest));
      const files = [{ name: webhookFile, content }];
      const request = newRequest({
        uuid: newId(clock),
        stages: [alertWebhookStage.name],
        files,
        startedAt: clock.now(),
        owner: installationOwner,
      });
      // Receivers take turns, so that a dead one doesn't delay the others.
      const headers = { [ownerHeader]: URL.parse(url)?.origin ?? url };
      await outbox.add(transaction, alertWebhookStage.name, { ...toMessage(request), headers });
    }
  };
}
