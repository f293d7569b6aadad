import { Badge, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useUrlState } from '../../base/url-state.ts';
import { Desk } from '../../components/desk.tsx';
import { LabName } from '../../components/lab-name.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { useTenantNow } from '../../components/tenant-clock.ts';
import { TimeText } from '../../components/values.tsx';
import { describeDeadline, useCriticalResults, type CriticalResult } from './critical-data.ts';
import { CriticalDetail } from './critical-detail.tsx';

const VIEWS = [
  { value: 'waiting', label: 'To read back' },
  { value: 'acknowledged', label: 'Read back' },
];

export function Page() {
  const [{ view = 'waiting' }, setState] = useUrlState();
  const isWaiting = view === 'waiting';
  const open = useCriticalResults('open', isWaiting);
  const escalated = useCriticalResults('escalated', isWaiting);
  const acknowledged = useCriticalResults('acknowledged', !isWaiting);
  const queries = isWaiting ? [escalated, open] : [acknowledged];
  const failed = queries.find(({ error }) => error);
  const rows = queries.flatMap(({ data }) => data?.pages.flatMap((page) => page.data) ?? []);
  // The deadline that is nearest, or longest over, comes first. What is done stays newest first.
  const sorted = isWaiting
    ? rows.toSorted((a, b) => a.escalation_due_at.localeCompare(b.escalation_due_at))
    : rows;
  return (
    <PageFrame
      title="Critical results"
      description="Values that a clinician must hear about now. Tell a person, have them repeat the result, and record it."
      calls={[
        {
          method: 'GET',
          path: '/v3/critical_result',
          query: { status: isWaiting ? 'open' : 'acknowledged' },
        },
      ]}
    >
      <SegmentedControl
        aria-label="Which critical results"
        data={VIEWS}
        value={view}
        onChange={(next) => setState({ view: next === 'waiting' ? undefined : next, selected: undefined })}
        style={{ alignSelf: 'flex-start' }}
      />
      {failed ? (
        <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />
      ) : queries.some(({ isPending }) => isPending) ? (
        <Loading lines={8} />
      ) : sorted.length === 0 ? (
        <EmptyState
          title={isWaiting ? 'No critical result waits' : 'None yet'}
          call="POST /v3/order/{order_id}/test?scenario=critical_result"
        >
          When a laboratory reports a value that may be dangerous, it waits here until a person has read it
          back. In the sandbox, the scenario "critical result" on the page of an order makes one.
        </EmptyState>
      ) : (
        <Desk
          label="Critical results, the most urgent first"
          rows={sorted}
          keyOf={(row) => row.id}
          renderItem={(row) => <Item row={row} />}
          renderChosen={(row) => <CriticalDetail critical={row} />}
          footer={queries.map((query, index) => (
            <LoadMore key={index === 0 ? 'first' : 'second'} query={query} />
          ))}
        />
      )}
    </PageFrame>
  );
}

const Item = ({ row }: { readonly row: CriticalResult }) => (
  <Stack gap={4}>
    <Group justify="space-between" gap={4}>
      <Text size="sm" fw={600}>
        {row.results[0]?.name ?? 'Result'}
      </Text>
      <Deadline critical={row} />
    </Group>
    <Text size="sm" className="numbers">
      {row.results[0]?.result} {row.results[0]?.unit}
      {row.results.length > 1 && `, and ${row.results.length - 1} more`}
    </Text>
    <Text size="xs" c="dimmed">
      <LabName slug={row.laboratory} />, <TimeText value={row.reported_at} />
    </Text>
  </Stack>
);

/** How long is left. It is announced once by the list, not every second. */
export function Deadline({ critical }: { readonly critical: CriticalResult }) {
  const now = useTenantNow();
  if (critical.status === 'acknowledged')
    return (
      <Badge color="teal" variant="light" tt="none" radius="sm">
        read back
      </Badge>
    );
  const { text, isOver } = describeDeadline(critical.escalation_due_at, now);
  return (
    <Badge
      color={isOver ? 'red' : 'yellow'}
      variant="light"
      tt="none"
      radius="sm"
      className="numbers"
      miw="max-content"
      aria-live="off"
    >
      {text}
    </Badge>
  );
}
