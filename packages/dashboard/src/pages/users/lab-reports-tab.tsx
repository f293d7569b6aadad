import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { shortId } from '../../base/short-id.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import type { TabProps } from './tab.ts';

type UserLabReport = components['schemas']['UserLabReport'];

const COLUMNS: readonly Column<UserLabReport>[] = [
  { title: 'Report', phone: 'title', render: (report) => <ReportLink report={report} /> },
  { title: 'Status', phone: 'state', render: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Reviewed', phone: 'detail', render: describeReview },
  { title: 'Pages', render: ({ pages }) => pages, align: 'right', width: 80 },
  { title: 'Uploaded', phone: 'aside', render: ({ created_at: at }) => <TimeText value={at} /> },
  { title: 'Changed', render: ({ updated_at: at }) => <TimeText value={at} /> },
];

/** Every uploaded lab report of the user; each leads to the desk, where its pages and values are. */
export const LabReportsTab = ({ user }: TabProps) => (
  <CursorTable
    label="Lab reports of the user"
    columns={COLUMNS}
    keyOf={({ id }) => id}
    queryKey={['get', '/v1/user/{user_id}/lab-reports', user.user_id]}
    fetchPage={async (cursor) => {
      const { data } = await client.GET('/v1/user/{user_id}/lab-reports', {
        params: {
          path: { user_id: user.user_id },
          query: cursor === undefined ? {} : { next_cursor: cursor },
        },
      });
      return { rows: data?.data ?? [], next: data?.next_cursor };
    }}
    empty={
      <EmptyState title="No lab reports yet" call="POST /lab_report/v1/parser/job">
        A report that a patient photographed or downloaded is read on this machine; a person reviews what is
        in doubt.
      </EmptyState>
    }
  />
);

function ReportLink({ report: { id, failure_reason: reason } }: { readonly report: UserLabReport }) {
  const pathOf = useTenantPath();
  return (
    <>
      <Anchor component={Link} to={pathOf(`desks/reports/${id}`)} size="sm">
        Report {shortId(id)}
      </Anchor>
      {reason !== null && (
        <Text size="xs" c="dimmed">
          {reason.replaceAll('_', ' ')}
        </Text>
      )}
    </>
  );
}

function describeReview({ status, is_reviewed: isReviewed }: UserLabReport): string {
  if (isReviewed) return 'By a person';
  return status === 'pending_review' ? 'Waits for a person' : 'No';
}
