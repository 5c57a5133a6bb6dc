import { defineSentences } from '../../engine/ground/sentence.ts';

/** The reasons of mail's alerts. Values that begin with `why` are answers of servers, without addresses. */
export const sayMailAlert = defineSentences({
  'mail.not-sent': ({ id, type, why }: { id: string; type: string; why: string }) =>
    `mail ${id} (${type}): ${why}`,
  'mail.refused': ({
    class: className,
    count,
    queue,
    why,
  }: {
    class: string;
    count: number;
    queue: string;
    why: string;
  }) =>
    `${count} mails of class ${className} in a row were refused for policy; the class is paused. Last answer: ${why}. Resume with \`queue resume ${queue}\``,
  'mail.relays-down': ({ why }: { why: string }) => `no relay takes mails, so they wait: ${why}`,
  'mail.campaign-failed': ({ campaign, why }: { campaign: string; why: string }) =>
    `campaign ${campaign} stopped: ${why}`,
});
