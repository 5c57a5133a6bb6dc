import { messageOf } from '../../engine/ground/errors.ts';
import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import type { MailToPrepare, PrepareAnswer, PrepareQuestion } from './preparers.ts';

type Prepare = (mail: MailToPrepare) => unknown;

/** Runs an administrator's module for some mails, one after the other. An error fails only the mail it occurs in. */
answerQuestions<PrepareQuestion, PrepareAnswer[]>(async ({ module, mails }) => {
  const loaded = (await import(module)) as { default?: unknown };
  if (typeof loaded.default !== 'function') throw new Error('it has no function as its default export');
  const prepare = loaded.default as Prepare;
  const answers: PrepareAnswer[] = [];
  for (const mail of mails) answers.push(await prepared(prepare, mail));
  return answers;
});

async function prepared(prepare: Prepare, mail: MailToPrepare): Promise<PrepareAnswer> {
  try {
    // Undefined, or a text, if the answer has a toJSON of its own.
    const data = JSON.stringify(await prepare(mail)) as string | undefined;
    return data?.startsWith('{') ? { data } : { problem: 'it must answer with an object' };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
