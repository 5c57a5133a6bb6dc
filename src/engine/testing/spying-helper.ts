import { answerQuestions } from '../processor/answer-questions.ts';
import { spy } from './spy.ts';

/** A decoder that a hostile file has taken over. */
answerQuestions<string[], Record<string, unknown>>(spy);
