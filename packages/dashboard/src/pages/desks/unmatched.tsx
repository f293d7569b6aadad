import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useUrlState } from '../../base/url-state.ts';
import { Desk } from '../../components/desk.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';
import {
  candidatesOf,
  reportTitle,
  useUnmatchedResults,
  type Unmatched,
  type View,
} from './unmatched-data.ts';
import { UnmatchedDetail } from './unmatched-detail.tsx';

const VIEWS = [
  { value: 'waiting', label: 'To decide' },
  { value: 'matched', label: 'Accepted' },
  { value: 'resolved', label: 'Rejected' },
];

export function Page() {
  const [{ view: named = 'waiting' }, setState] = useUrlState();
  const view: View = named === 'matched' || named === 'resolved' ? named : 'waiting';
  const list = useUnmatchedResults(view);
  return (
    <PageFrame
      title="Unmatched results"
      description="Reports of a laboratory that belong to no order for certain. Compare, then accept or reject."
      calls={[
        {
          method: 'GET',
          path: '/v3/unmatched_result',
          ...(view === 'waiting' ? {} : { query: { status: view } }),
        },
      ]}
    >
      <SegmentedControl
        aria-label="Which results"
        data={VIEWS}
        value={view}
        onChange={(next) => setState({ view: next === 'waiting' ? undefined : next, selected: undefined })}
        style={{ alignSelf: 'flex-start' }}
      />
      <Loaded query={list} lines={8}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length === 0 ? (
            <EmptyState
              title={view === 'waiting' ? 'Every result has its order' : 'None yet'}
              call="GET /v3/unmatched_result"
            >
              A report waits here when its sample id is unknown and its patient fits no order, or several. It
              reaches nobody until a person has decided.
            </EmptyState>
          ) : (
            <Desk
              label="Unmatched results, the oldest first"
              rows={rows}
              keyOf={(row) => row.id}
              renderItem={(row) => <Item row={row} />}
              renderChosen={(row) => <UnmatchedDetail report={row} />}
              footer={<LoadMore query={list} />}
            />
          );
        }}
      </Loaded>
    </PageFrame>
  );
}

function Item({ row }: { readonly row: Unmatched }) {
  const count = candidatesOf(row).length;
  return (
    <Stack gap={4}>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" fw={600} truncate>
          {reportTitle(row)}
        </Text>
        <Badge
          variant="light"
          color={count === 0 ? 'gray' : 'yellow'}
          tt="none"
          radius="sm"
          miw="max-content"
        >
          {count === 0 ? 'no candidate' : count === 1 ? '1 candidate' : `${count} candidates`}
        </Badge>
      </Group>
      <Text size="sm" truncate>
        {row.tests.map(({ name, provider_id: code }) => name ?? code).join(', ')}
      </Text>
      <Text size="xs" c="dimmed">
        {row.lab.name}, <TimeText value={row.created_at} />
        {row.status === 'pending_ops_review' && ', with the operator'}
      </Text>
    </Stack>
  );
}
