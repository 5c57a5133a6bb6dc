/** What is asked before something that can't be undone. */
export interface Question {
  title: string;
  /** What will happen, with the numbers. */
  text: string;
  /** The verb: "Delete 12 documents". */
  action: string;
  /** What must be typed, for what can't be undone. */
  word?: string;
  danger?: boolean;
}

interface Asked extends Question {
  answer: (yes: boolean) => void;
}

class Questions {
  open = $state.raw<Asked>();
}

export const questions = new Questions();

/** `if (await confirm({ title, text, action, word })) ...` */
export function confirm(question: Question): Promise<boolean> {
  questions.open?.answer(false);
  return new Promise((resolve) => {
    questions.open = {
      ...question,
      answer(yes) {
        questions.open = undefined;
        resolve(yes);
      },
    };
  });
}
