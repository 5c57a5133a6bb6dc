import type { Engine } from '../../engine/composition/engine.ts';
import { sayMailAlert } from '../model/alert-sentences.ts';
import { queueOf } from '../settings/settings.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { withoutAddresses } from './answer-text.ts';

/** This many refusals for policy in a row mean that we are blocked, not that a mail was suspicious. */
const mostRefusals = 20;

/** Pauses a class that relays refuse for policy (x.7.x: spam, reputation): sending more would make it worse. */
export class PolicyWatch {
  readonly #engine: Pick<Engine, 'alerts' | 'broker' | 'log'>;
  readonly #inARow = new Map<string, number>();

  constructor(engine: Pick<Engine, 'alerts' | 'broker' | 'log'>) {
    this.#engine = engine;
  }

  watch(className: string, outcome: SmtpOutcome): void {
    const isPolicy = 'enhanced' in outcome && /^[45]\.7\./.test(outcome.enhanced ?? '');
    if (!isPolicy) {
      if (outcome.kind === 'sent') this.#inARow.delete(className);
      return;
    }
    const count = (this.#inARow.get(className) ?? 0) + 1;
    this.#inARow.set(className, count);
    if (count !== mostRefusals) return;
    this.#inARow.delete(className);
    const { alerts, broker, log } = this.#engine;
    const queue = queueOf(className);
    broker
      .pause(queue)
      .catch((error) => log.error({ err: error, queue }, 'a refused class could not be paused'));
    void alerts.raise(
      'mail.refused',
      className,
      sayMailAlert('mail.refused', {
        class: className,
        count,
        queue,
        why: withoutAddresses(outcome.answer),
      }),
    );
  }
}
