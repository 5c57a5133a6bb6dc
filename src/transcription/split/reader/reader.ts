import { answerQuestions } from '../../../engine/processor/answer-questions.ts';
import { makeViews } from '../../views/make-views.ts';
import { checkFile, type OpenFile, openFile } from './open-file.ts';
import type { Answer, PageFile, Question } from './question.ts';

/** The process in which foreign files are opened. It may be killed at any page, so it remembers only which file is open. */
let opened: { path: string; file: OpenFile } | undefined;

answerQuestions<Question, Answer>(async (question) => {
  if (question.kind === 'close') {
    close();
    return { done: true };
  }
  if (question.kind === 'check') {
    await checkFile(question.file);
    return { done: true };
  }
  if (question.kind === 'views') {
    await makeViews(question.image, question.to, question.limits);
    return { done: true };
  }
  const file = await reopen(question.file);
  if (question.kind === 'count') return { pages: file.pages };
  return { page: await file.save(question.index, question.to) };
});

async function reopen(wanted: PageFile): Promise<OpenFile> {
  if (opened?.path === wanted.path) return opened.file;
  close();
  const file = await openFile(wanted);
  opened = { path: wanted.path, file };
  return file;
}

function close(): void {
  opened?.file.close();
  opened = undefined;
}
