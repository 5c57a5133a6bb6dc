import { Worker } from 'node:worker_threads';
import { PismakError } from '../../engine/errors.ts';

/** A template after its layout: HTML, and the text derived from it. Both still have Liquid in them. */
export interface LaidOut {
  html: string;
  text: string;
}

const mostMs = 20_000;

/**
 * MJML becomes HTML with inlined styles, and HTML becomes text: once per version, in a thread of its own. MJML holds 150 MB
 * while it is loaded, which senders shall not carry along, and a template that keeps it busy for ever is stopped.
 */
export async function layOut(template: string, code: string, wantsText = true): Promise<LaidOut> {
  if (!/<mjml[\s>]/i.test(template) && !wantsText) return { html: template, text: '' };
  const thread = new Worker(new URL('./lay-out-thread.ts', import.meta.url), {
    workerData: { template, wantsText },
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const timer = setTimeout(() => void thread.terminate(), mostMs);
  try {
    const answer = await new Promise<LaidOut & { problem?: string }>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', (error) =>
        reject(new PismakError('invalid-input', `template ${code}: ${error.message}`)),
      );
      thread.once('exit', () =>
        reject(
          new PismakError('invalid-input', `template ${code}: its layout took longer than ${mostMs} ms`),
        ),
      );
    });
    if (answer.problem !== undefined)
      throw new PismakError('invalid-input', `template ${code}, ${answer.problem}`);
    return { html: answer.html, text: answer.text };
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
