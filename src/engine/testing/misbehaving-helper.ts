import { writeFileSync } from 'node:fs';
import { answerQuestions, SpoiledProcess } from '../processor/answer-questions.ts';
import { PermanentFailure } from '../processor/processor.ts';

/** Does to its process what it is asked, and answers with its process id. For tests of helper processes. */
answerQuestions<{ order: string; mark?: string }, number>(async ({ order, mark }, input) => {
  if (order === 'crash') process.kill(process.pid, 'SIGSEGV');
  if (order === 'crash once' && mark !== undefined) {
    try {
      writeFileSync(mark, '', { flag: 'wx' });
      process.kill(process.pid, 'SIGKILL');
    } catch {
      // It has crashed before.
    }
  }
  if (order === 'count') return input.length;
  if (order === 'spin') for (;;);
  if (order === 'wait') await new Promise(() => {});
  if (order === 'exhaust memory') {
    const hoard: Buffer[] = [];
    for (;;) hoard.push(Buffer.alloc(16 * 1024 * 1024, 1));
  }
  if (order === 'give up') throw new PermanentFailure('this will never work');
  if (order === 'fail') throw new Error('the disk is full');
  if (order === 'spoil') throw new SpoiledProcess('the library has crashed');
  return process.pid;
});
