import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { HelperProcess } from '../../engine/processor/helper-process.ts';
import { systemClock } from '../../engine/time/clock.ts';

/** A template after its layout: HTML, and the text derived from it. Both still contain Liquid. */
export interface LaidOut {
  html: string;
  text: string;
}

export interface LayOutQuestion {
  template: string;
  wantsText: boolean;
}

export type LayOutAnswer = LaidOut | { problem: string };

const limits = { seconds: 20, memoryMb: 700 };

/**
 * Turns MJML into HTML, inlines styles, and derives the text: once per version, in a process of its own. MJML takes 150 MB,
 * which a thread would never give back, and a process can be killed if a template keeps it busy for ever.
 */
export async function layOut(template: string, code: string, wantsText = true): Promise<LaidOut> {
  if (!/<(mjml|style)[\s>]/i.test(template) && !wantsText) return { html: template, text: '' };
  const helper = new HelperProcess<LayOutQuestion, LayOutAnswer>({
    module: new URL('./lay-out-process.ts', import.meta.url),
    clock: systemClock,
    decodes: true,
  });
  try {
    const answer = await helper.ask({ template, wantsText }, limits);
    if ('problem' in answer) throw new PismakError('invalid-input', `template ${code}, ${answer.problem}`);
    return answer;
  } catch (error) {
    if (error instanceof PismakError) throw error;
    throw new PismakError('invalid-input', `template ${code}: its layout failed: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    helper.close();
  }
}
