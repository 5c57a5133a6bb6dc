import { messageOf } from '../ground/errors.ts';
import { dieWithParent } from './die-with-parent.ts';
import type { FromHelper, ToHelper } from './helper-process.ts';
import { isPermanent, PermanentFailure } from './processor.ts';

/** A fault that may have damaged this process, such as the crash of a library: the next question goes to another process. */
export class SpoiledProcess extends PermanentFailure {}

/**
 * Makes this process the other end of a `HelperProcess`: it answers one question after another. `input` is empty unless the question
 * came with bytes.
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, input: Uint8Array) => Promise<Answer>,
): void {
  const send = (message: FromHelper<Answer>) => process.send?.(message);
  let asked: { question: Question; input: Buffer; length: number } | undefined;
  process.on('disconnect', () => process.exit(0));
  process.on('message', (message: ToHelper<Question>) => {
    if ('chunk' in message) {
      if (!asked) return;
      asked.input.set(message.chunk, asked.length);
      asked.length += message.chunk.length;
    } else {
      const { question, inputBytes } = message;
      asked = { question, input: Buffer.allocUnsafeSlow(inputBytes), length: 0 };
    }
    if (asked.length < asked.input.length) return;
    const { question, input } = asked;
    asked = undefined;
    answer(question, input).then(
      (content) => send({ type: 'answer', answer: content, cpuSeconds: cpuSeconds() }),
      (error: unknown) =>
        send({
          type: 'failed',
          reason: messageOf(error),
          permanent: isPermanent(error),
          isSpoiled: error instanceof SpoiledProcess,
          cpuSeconds: cpuSeconds(),
        }),
    );
  });
  dieWithParent(process.pid);
  send({ type: 'ready' });
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
