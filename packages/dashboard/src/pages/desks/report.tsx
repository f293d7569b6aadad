import { api } from '../../api/client.ts';
import { usePathParameter } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge } from '../../components/values.tsx';
import { ReportReview } from './report-review.tsx';

export function Page() {
  const jobId = usePathParameter('jobId');
  const job = api.useQuery('get', '/lab_report/v1/parser/job/{job_id}', {
    params: { path: { job_id: jobId } },
  });
  return (
    <PageFrame
      title="Review of a lab report"
      parents={[{ title: 'Lab report review', path: 'desks/reports' }]}
      beside={
        <>
          <StatusBadge status={job.data?.status} />
          <CopyId id={jobId} />
        </>
      }
      calls={[
        { title: 'The report', method: 'GET', path: `/lab_report/v1/parser/job/${jobId}` },
        { title: 'The boxes of a page', method: 'GET', path: `/lab_report/v1/parser/job/${jobId}/pages/1` },
        {
          title: 'Correct and complete it',
          method: 'POST',
          path: `/lab_report/v1/parser/job/${jobId}/review`,
          body: { corrections: [{ line: 0, set: { value: '92' } }] },
        },
      ]}
    >
      <Loaded query={job} lines={12}>
        {(data) =>
          data.data === null ? (
            <EmptyState
              title={data.status === 'failed' ? 'The report could not be read' : 'The report is being read'}
            >
              {data.failure_reason === null
                ? 'This takes a few seconds. The page follows.'
                : `Reason: ${data.failure_reason.replaceAll('_', ' ')}.`}
            </EmptyState>
          ) : (
            <ReportReview key={data.id} job={data} data={data.data} />
          )
        }
      </Loaded>
    </PageFrame>
  );
}
