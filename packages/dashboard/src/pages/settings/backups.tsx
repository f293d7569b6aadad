import { Alert, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PREFIX } from '../../api/service.ts';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';

/** What the readiness probe says about each scheduled task: the backup, and its verification. */
interface TaskState {
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly next_at: string | null;
  readonly is_failing: boolean;
}

interface Readiness {
  readonly status: string;
  readonly detail?: string;
  readonly backups?: Readonly<Record<string, TaskState>>;
}

const TITLES: Readonly<Record<string, string>> = { backup: 'Backup', verify: 'Verification of the backup' };

async function readReadiness(): Promise<Readiness> {
  const response = await fetch(`${PREFIX}/readyz`);
  return (await response.json()) as Readiness;
}

export function Backups() {
  const query = useQuery({ queryKey: ['get', '/readyz'], queryFn: readReadiness });
  return (
    <Loaded query={query} lines={4}>
      {({ status, detail, backups }) => (
        <Stack gap="lg">
          {status !== 'ok' && (
            <Alert color="red" title="The service is not well">
              {detail}
            </Alert>
          )}
          {backups ? (
            Object.entries(backups).map(([name, state]) => (
              <Section key={name} title={TITLES[name] ?? name}>
                <KeyValues
                  rows={[
                    ['State', <StatusBadge key="state" status={state.is_failing ? 'failing' : 'active'} />],
                    ['Last success', <TimeText key="success" value={state.last_success_at} relative />],
                    ['Last failure', <TimeText key="failure" value={state.last_failure_at} relative />],
                    ['Next', <TimeText key="next" value={state.next_at} relative />],
                  ]}
                />
              </Section>
            ))
          ) : (
            <EmptyState title="No scheduled backups">
              The operator of the service turns them on by its configuration, or makes them with `aliquot
              backup`. They hold all organizations, so they are not made here.
            </EmptyState>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
