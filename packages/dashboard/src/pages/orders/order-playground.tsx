import { Button, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { IconClock, IconPlay, IconStep } from '../../base/icons.ts';
import { usePermissions, useTenant } from '../../base/tenant.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';
import { hasEnded, type Order } from './order-data.ts';

/** What the sandbox can do with an order. Each control is one request of the API. */
export function PlaygroundSection({ order }: { readonly order: Order }) {
  const { environment } = useTenant();
  const may = usePermissions();
  if (environment !== 'sandbox') return null;
  return (
    <Section title="Sandbox">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        {may('orders:write') ? (
          <Simulation order={order} />
        ) : (
          <Text size="sm">Your role cannot simulate.</Text>
        )}
        {may('sandbox-clock:read') && <Clock />}
      </SimpleGrid>
    </Section>
  );
}

type Wish = NonNullable<Parameters<typeof simulate>[1]>;

const simulate = (
  orderId: string,
  query: { scenario?: string; step?: boolean; final_status?: string; delay?: number },
) =>
  client.POST('/v3/order/{order_id}/test', {
    // The names of scenarios come from the API itself.
    params: { path: { order_id: orderId }, query: query as object },
  });

const PACES = [
  { value: '0', label: 'At once' },
  { value: '2', label: '2 s between steps' },
  { value: '10', label: '10 s between steps' },
];

function Simulation({ order }: { readonly order: Order }) {
  const queries = useQueryClient();
  const [scenario, setScenario] = useState<string | null>('happy_path');
  const [pace, setPace] = useState<string | null>('0');
  const modality = order.details.type;
  const scenarios = api.useQuery('get', '/v3/order/simulation_scenarios', {
    params: { query: { modality } },
  });
  const run = useMutation({
    mutationFn: (wish: Wish) => simulate(order.id, wish),
    onSuccess: () => tellDone('The order moved'),
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
  const isOver = hasEnded(order);
  const isRunning = (what: keyof Wish) => run.isPending && run.variables[what] !== undefined;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          leftSection={<IconStep size={16} />}
          loading={isRunning('step')}
          disabled={isOver || run.isPending}
          onClick={() => run.mutate({ step: true })}
        >
          Next step
        </Button>
        <Button
          variant="default"
          loading={isRunning('final_status')}
          disabled={isOver || run.isPending}
          onClick={() => run.mutate({ final_status: 'completed' })}
        >
          Go to the result
        </Button>
      </Group>
      <Loaded query={scenarios} lines={2}>
        {(data) => (
          <Select
            label="Scenario"
            description={data.scenarios.find(({ name }) => name === scenario)?.title}
            data={data.scenarios.map(({ name }) => ({ value: name, label: name.replaceAll('_', ' ') }))}
            value={scenario}
            onChange={setScenario}
            searchable
            allowDeselect={false}
          />
        )}
      </Loaded>
      <Group align="flex-end" gap="xs">
        <Select label="Pace" data={PACES} value={pace} onChange={setPace} allowDeselect={false} w={180} />
        <Button
          variant="default"
          leftSection={<IconPlay size={16} />}
          loading={isRunning('scenario')}
          disabled={
            scenario === null || run.isPending || order.status === 'cancelled' || order.status === 'failed'
          }
          onClick={() =>
            run.mutate({ scenario: scenario ?? '', ...(pace === '0' ? {} : { delay: Number(pace) }) })
          }
        >
          Run
        </Button>
      </Group>
      {isOver && (
        <Text size="xs" c="dimmed">
          This order is at its end. A completed one can still be corrected by a scenario.
        </Text>
      )}
    </Stack>
  );
}

const JUMPS = [
  { label: '+1 hour', seconds: 3600 },
  { label: '+1 day', seconds: 86_400 },
  { label: '+7 days', seconds: 604_800 },
];

/** The clock of the sandbox: appointments, deadlines and escalations come due when it moves. */
function Clock() {
  const { teamId } = useTenant();
  const may = usePermissions();
  const orgId = useSession().data?.session.org_id ?? '';
  const queries = useQueryClient();
  const path = { org_id: orgId, team_id: teamId };
  const clock = api.useQuery('get', '/v1/org/{org_id}/team/{team_id}/sandbox/clock', { params: { path } });
  const move = useMutation({
    mutationFn: (seconds: number) =>
      client.POST('/v1/org/{org_id}/team/{team_id}/sandbox/clock', {
        params: { path },
        body: { advance_seconds: seconds },
      }),
    onSuccess: () => tellDone('The clock moved, and everything that came due happened'),
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' }),
  });
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        Clock of the sandbox
      </Text>
      <Loaded query={clock} lines={1}>
        {({ now }) => (
          <Group gap="xs">
            <IconClock size={16} />
            <TimeText value={now} />
          </Group>
        )}
      </Loaded>
      <Group gap="xs">
        {JUMPS.map(({ label, seconds }) => (
          <Button
            key={label}
            variant="default"
            size="xs"
            loading={move.isPending && move.variables === seconds}
            disabled={move.isPending || !may('sandbox-clock:write')}
            onClick={() => move.mutate(seconds)}
          >
            {label}
          </Button>
        ))}
      </Group>
      <Text size="xs" c="dimmed">
        For the whole sandbox. It only moves forward.
      </Text>
    </Stack>
  );
}
