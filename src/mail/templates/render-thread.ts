import { parentPort } from 'node:worker_threads';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { giveWayAsThread } from '../../engine/process/give-way.ts';
import { type CompiledTemplate, compileTemplate } from './compile.ts';
import type { RenderAnswer, RenderQuestion } from './render-threads.ts';

const templates = new Map<string, Promise<CompiledTemplate>>();

/** Runs in the threads of render-threads.ts: renders one mail after another. */
parentPort?.on('message', (question: RenderQuestion) => {
  void answer(question).then((reply) => parentPort?.postMessage(reply));
});
giveWayAsThread();
parentPort?.postMessage('ready');

async function answer(question: RenderQuestion): Promise<RenderAnswer> {
  try {
    const template = await templateOf(question);
    const { data, subject, as } = question;
    if (as === 'nothing') return { done: true };
    if (as === 'rendered') {
      const rendered = template.render(data, subject);
      return { rendered, missing: [...template.missing] };
    }
    const { html, text, ...encoded } = template.encode(data, subject);
    // A slice of shared memory would be sent with all of it.
    return { encoded: { ...encoded, html: Uint8Array.from(html), text: Uint8Array.from(text) } };
  } catch (error) {
    const code = error instanceof PismakError ? error.code : 'invalid-input';
    return { problem: messageOf(error), code };
  }
}

function templateOf({ key, source, language, isFirst }: RenderQuestion): Promise<CompiledTemplate> {
  if (isFirst) templates.clear();
  const found = templates.get(key);
  if (found) return found;
  if (!source) throw new Error(`the template ${key} was not sent`);
  const made = compileTemplate(source, language);
  templates.set(key, made);
  return made;
}
