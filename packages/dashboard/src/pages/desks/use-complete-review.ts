import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { tellDone } from '../../components/confirm.tsx';
import { toCorrections, type Draft } from './report-draft.ts';

/**
 * Sends the whole review at once. The service accepts it only while the report waits for one: the second of two
 * reviewers gets 409, the report is loaded again, and the page shows what the first has done.
 */
export function useCompleteReview(jobId: string, draft: Draft) {
  const queries = useQueryClient();
  const reviewer = useSession().data?.session.member.name;
  return useMutation({
    mutationFn: () =>
      client.POST('/lab_report/v1/parser/job/{job_id}/review', {
        params: { path: { job_id: jobId } },
        body: {
          corrections: toCorrections(draft),
          metadata: draft.metadata,
          reviewer: reviewer ?? null,
        },
      }),
    onSuccess: () => tellDone('The report is reviewed, and its results are told to your endpoints'),
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
}
