import type { Tx } from './db/database.ts';
import type { Work } from './work.ts';

/** A batch loader that looks up each distinct name once. */
export const createDedupingLoader = <A>(
  find: (work: Work, name: string) => Promise<A>,
): ((work: Work, name: string) => Promise<A>) =>
  createBatchLoader((work, names: readonly string[]) => {
    const found = new Map([...new Set(names)].map((name) => [name, find(work, name)]));
    return Promise.all(names.map((name) => found.get(name) as Promise<A>));
  });

interface PendingLoad<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches lookups within one transaction, like a DataLoader: lookups made in the same turn of the event loop are sent
 * as one statement. `answer` gets at least one question and returns the answers in the same order.
 */
export function createBatchLoader<Q, A>(
  answer: (work: Work, questions: readonly Q[]) => Promise<readonly A[]>,
): (work: Work, question: Q) => Promise<A> {
  const asked = new WeakMap<Tx, PendingLoad<Q, A>[]>();
  const ask = (work: Work, all: readonly PendingLoad<Q, A>[]) => {
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
