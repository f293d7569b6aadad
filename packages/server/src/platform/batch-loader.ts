import DataLoader from 'dataloader';
import type { Work } from './work.ts';

/** A batch loader that looks up each distinct name once. */
export const createDedupingLoader = <A>(
  find: (work: Work, name: string) => Promise<A>,
): ((work: Work, name: string) => Promise<A>) =>
  createBatchLoader((work, names: readonly string[]) => {
    const found = new Map([...new Set(names)].map((name) => [name, find(work, name)]));
    return Promise.all(names.map((name) => found.get(name) as Promise<A>));
  });

/**
 * A DataLoader for each work: lookups made in the same turn of the event loop are sent as one statement.
 * `answer` gets at least one question and returns the answers in the same order. Nothing is cached, because a later
 * lookup must see what the work has written.
 */
export function createBatchLoader<Q, A>(
  answer: (work: Work, questions: readonly Q[]) => Promise<readonly A[]>,
): (work: Work, question: Q) => Promise<A> {
  const loaders = new WeakMap<Work, DataLoader<Q, A>>();
  return (work, question) => {
    const known = loaders.get(work);
    if (known) return known.load(question);
    const loader = new DataLoader<Q, A>((questions) => answer(work, questions), {
      cache: false,
      // By default after the promises that have settled: too late for the statements of this turn (db/fast/socket.ts).
      batchScheduleFn: (send) => process.nextTick(send),
    });
    loaders.set(work, loader);
    return loader.load(question);
  };
}
