import { Accordion, Anchor, Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions, useTenantPath } from '../../base/tenant.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';

const CLOCK = '/v1/org/{org_id}/team/{team_id}/sandbox/clock';
const HOUR = 3600;
const STEPS = [
  { label: 'One hour', seconds: HOUR },
  { label: 'One day', seconds: 24 * HOUR },
  { label: 'One week', seconds: 7 * 24 * HOUR },
];

/** Time and outcomes in sandbox, where nothing waits for a parcel or a laboratory. */
export const Sandbox = () => (
  <Stack>
    <Clock />
    <Scenarios />
  </Stack>
);

function Clock() {
  const { org_id, team_id } = useTeamParams();
  const path = { org_id, team_id };
  const may = usePermissions();
  const queries = useQueryClient();
  const clock = api.useQuery('get', CLOCK, { params: { path } });
  const [to, setTo] = useState('');
  const move = useMutation({
    mutationFn: (body: { advance_seconds: number } | { to: string }) =>
      client.POST(CLOCK, { params: { path }, body }),
    onSuccess: async () => {
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'get' });
      tellDone('The sandbox clock moved. What was due in between has happened.');
    },
    onError: tellError,
  });
  return (
    <Section title="Sandbox clock">
      <Stack gap="sm">
        <Text size="sm">
          Everything that waits in sandbox (parcels, retries, expiring keys, reminders) follows this clock. It
          only moves forward.
        </Text>
        <Loaded query={clock} lines={1}>
          {({ now }) => (
            <Text size="xl" fw={600} className="numbers" aria-live="polite">
              {new Date(now).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' })}
            </Text>
          )}
        </Loaded>
        <Group align="flex-end" gap="xs">
          {STEPS.map(({ label, seconds }) => (
            <Button
              key={label}
              size="xs"
              variant="default"
              disabled={!may('sandbox-clock:write') || move.isPending}
              onClick={() => move.mutate({ advance_seconds: seconds })}
            >
              + {label}
            </Button>
          ))}
          <TextInput
            type="datetime-local"
            size="xs"
            label="Or a time"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          <Button
            size="xs"
            loading={move.isPending}
            disabled={to === '' || !may('sandbox-clock:write')}
            onClick={() => move.mutate({ to: new Date(to).toISOString() })}
          >
            Move
          </Button>
        </Group>
      </Stack>
    </Section>
  );
}

function Scenarios() {
  const pathOf = useTenantPath();
  const scenarios = api.useQuery('get', '/v3/order/simulation_scenarios');
  return (
    <Section title="Scenarios">
      <Stack gap="sm">
        <Text size="sm">
          A scenario takes an order through a story, with every event on the way. Choose one on the page of an{' '}
          <Anchor component={Link} to={pathOf('orders')} underline="always" inherit>
            order
          </Anchor>
          , or send its name: POST /v3/order/ORDER_ID/test?scenario=happy_path.
        </Text>
        <Loaded query={scenarios}>
          {(data) => (
            <Accordion variant="separated" chevronPosition="left">
              {data.scenarios.map(({ name, title, modality, steps }) => (
                <Accordion.Item key={`${modality}-${name}`} value={`${modality}-${name}`}>
                  <Accordion.Control>
                    <Group gap="xs">
                      <Text size="sm" fw={500}>
                        {title}
                      </Text>
                      <Badge variant="light" color="gray" tt="none" radius="sm">
                        {modality.replaceAll('_', ' ')}
                      </Badge>
                      <Text size="xs" ff="monospace">
                        {name}
                      </Text>
                    </Group>
                  </Accordion.Control>
                  <Accordion.Panel>
                    <ol>
                      {steps.map((step, index) => (
                        <li key={`${index}-${step.status}`}>
                          <Text size="sm" span>
                            {step.status}
                            {step.status_detail === null ? '' : ` (${step.status_detail})`}
                            {step.interpretation === null ? '' : `, result ${step.interpretation}`}
                          </Text>
                        </li>
                      ))}
                    </ol>
                  </Accordion.Panel>
                </Accordion.Item>
              ))}
            </Accordion>
          )}
        </Loaded>
      </Stack>
    </Section>
  );
}
