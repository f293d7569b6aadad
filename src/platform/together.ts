import type { Tx } from './db/database.ts';
import type { Work } from './work.ts';

/** The same for what many ask for by one name: each name is looked for once. */
export const onceTogether = <A>(
  find: (work: Work, name: string) => Promise<A>,
): ((work: Work, name: string) => Promise<A>) =>
  together((work, names: readonly string[]) => {
    const found = new Map([...new Set(names)].map((name) => [name, find(work, name)]));
    return Promise.all(names.map((name) => found.get(name) as Promise<A>));
  });

interface Asked<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A question that several parts of one work ask side by side, each for itself, and that is sent once for all that ask
 * in the same turn of the event loop: for work of which much is done in one transaction, where a statement for each
 * part would cost more than its answer. `answer` is given at least one question and answers them in their order.
 */
export function together<Q, A>(
  answer: (work: Work, questions: readonly Q[]) => Promise<readonly A[]>,
): (work: Work, question: Q) => Promise<A> {
  const asked = new WeakMap<Tx, Asked<Q, A>[]>();
  const ask = (work: Work, all: readonly Asked<Q, A>[]) => {
    asked.delete(work.tx);
    answer(
      work,
      all.map(({ question }) => question),
    ).then(
      (answers) => {
        for (const [index, { resolve }] of all.entries()) resolve(answers[index] as A);
      },
      (error: unknown) => {
        for (const { reject } of all) reject(error);
      },
    );
  };
  return (work, question) =>
    new Promise((resolve, reject) => {
      const one = { question, resolve, reject };
      const waiting = asked.get(work.tx);
      if (waiting) {
        waiting.push(one);
        return;
      }
      const all = [one];
      asked.set(work.tx, all);
      process.nextTick(() => ask(work, all));
    });
}
