/** So that one answer that is long in coming holds up no more than these. */
const mostTogether = 50;

/**
 * For a question that costs nearly the same for one as for many: whoever asks in one turn of the event loop goes
 * together. Alone one waits for nobody but the end of that turn; under load most of the cost is shared. In a trace
 * the shared part stands with whoever came first.
 */
export function together<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let open: { readonly questions: Question[]; readonly answers: Promise<readonly Answer[]> } | null = null;

  function gather() {
    const questions: Question[] = [];
    const answers = new Promise<void>((resolve) => void setImmediate(resolve)).then(() => {
      // From here on the next ones gather; within a turn a group may also be full before.
      if (open?.questions === questions) open = null;
      return ask(questions);
    });
    return { questions, answers };
  }

  return async (question) => {
    if (open && open.questions.length >= mostTogether) open = null;
    const { questions, answers } = (open ??= gather());
    const position = questions.push(question) - 1;
    return (await answers)[position] as Answer;
  };
}
