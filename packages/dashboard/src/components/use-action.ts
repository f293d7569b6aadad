import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tellDone, tellError } from './confirm.tsx';

interface Action {
  readonly isBusy: boolean;
  /** Does the work, loads again what it changed, and says how it went. */
  readonly run: (work: () => Promise<unknown>, done?: string) => Promise<void>;
}

/** A write of a page. `changes` are the paths of the API whose views it makes stale. */
export function useAction(changes: readonly string[]): Action {
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown>, done?: string) => {
    setBusy(true);
    try {
      await work();
      await Promise.all(changes.map((path) => queries.invalidateQueries({ queryKey: ['get', path] })));
      if (done !== undefined) tellDone(done);
    } catch (error) {
      tellError(error);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, run };
}
