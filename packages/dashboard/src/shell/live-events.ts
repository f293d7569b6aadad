import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { urlOf } from '../api/client.ts';

/** Events come in bursts; the views that they concern are loaded again once for each burst. */
const BURST_MS = 400;

/**
 * Reloads what is shown when something happened: the service sends the event log as it grows, and a view is a query
 * whose key begins with the method and the path.
 */
export function useLiveEvents(): void {
  const queries = useQueryClient();
  useEffect(() => {
    const source = new EventSource(urlOf('/v1/events/stream'));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const reload = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[0] === 'get',
          refetchType: 'active',
        });
      }, BURST_MS);
    };
    // `stream.reset`: events may be missing between the last one and now.
    for (const type of ['event', 'stream.reset']) source.addEventListener(type, reload);
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [queries]);
}
