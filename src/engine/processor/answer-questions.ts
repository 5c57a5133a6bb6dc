import { messageOf } from '../ground/errors.ts';
import { dieWithParent } from './die-with-parent.ts';
import type { FromHelper } from './helper-process.ts';
import { isPermanent, PermanentFailure } from './processor.ts';

/** A fault that may have damaged this process, such as the crash of a library: the next question goes to another process. */
export class SpoiledProcess extends PermanentFailure {}

/** Makes this process the other end of a `HelperProcess`: it answers one question after another. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  const send = (message: FromHelper<Answer>) => process.send?.(message);
  process.on('disconnect', () => process.exit(0));
  process.on('message', (question: Question) => {
    answer(question).then(
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
