import { hasCode, messageOf } from '../../engine/ground/errors.ts';
import { answerQuestions } from '../../engine/processor/answer-questions.ts';
import { readReport } from './read-report.ts';
import type { ReportAnswer, ReportQuestion } from './report-reader.ts';

/** Runs in the process that report-reader.ts starts. */
answerQuestions<ReportQuestion, ReportAnswer>(async ({ content, envelopeTo }) => {
  try {
    return { report: await readReport(Buffer.from(content), envelopeTo) };
  } catch (error) {
    if (hasCode(error, 'invalid-input')) return { problem: messageOf(error) };
    throw error;
  }
});
