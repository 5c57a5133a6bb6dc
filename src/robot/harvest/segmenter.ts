import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** What an external segmenter says of a text. */
const judgementSchema = z.object({
  usability: z.number().min(0).max(1),
  language: z.string().min(1).max(35),
});
export type Judgement = z.output<typeof judgementSchema>;

export interface Segmenter {
  /** Waits while the service is down; undefined if `stop` came first. */
  judge(question: { url: string; text: string }, stop: AbortSignal): Promise<Judgement | undefined>;
  /** Why the service does not answer; undefined while it does. */
  readonly problem: string | undefined;
}

const answerMs = 30_000;
const longestAnswer = 64 * 1024;
const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * A segmenter over HTTP: `POST {url, text}` answers `{usability, language}`. While it is down, documents wait here, and so does their
 * batch: nothing is fetched that could not be judged. A document that the service refuses (4xx) gets usability 0.
 */
export function httpSegmenter(address: string): Segmenter {
  let problem: string | undefined;
  async function ask(question: object, stop: AbortSignal): Promise<Judgement> {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', accept: 'application/json' },
      body: JSON.stringify(question),
      redirect: 'error',
      signal: AbortSignal.any([stop, AbortSignal.timeout(answerMs)]),
    });
    const { status } = response;
    const text = await textOf(response);
    if (status >= 400 && status < 500 && status !== 408 && status !== 429)
      return { usability: 0, language: 'und' };
    if (status !== 200) throw new Error(`http ${status}`);
    return judgementSchema.parse(JSON.parse(text));
  }
  return {
    get problem() {
      return problem;
    },
    async judge(question, stop) {
      for (let pauseMs = firstPauseMs; !stop.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        try {
          const judgement = await ask(question, stop);
          problem = undefined;
          return judgement;
        } catch (error) {
          if (stop.aborted) return undefined;
          problem = describe(error);
          await wait(pauseMs, undefined, { signal: stop }).catch(() => {});
        }
      }
      return undefined;
    },
  };
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > longestAnswer) throw new Error(`the answer is longer than ${longestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function describe(error: unknown): string {
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return 'the answer is not {usability, language}';
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
