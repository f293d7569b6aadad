import { Button, Group, List, Text, ThemeIcon } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { IconCheck } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useGoTo, usePermissions, useTenant } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { MakeSampleUser } from '../users/sample-user.tsx';
import { CreateInbox } from '../webhooks/create-inbox.tsx';

const KEY = 'dashboard-first-steps-hidden';

/** Teams whose members have taken or hidden the first steps in this browser. Ids only. */
const readHidden = (): readonly string[] => (localStorage.getItem(KEY) ?? '').split(',');

/** Leads through an empty sandbox: an endpoint, a user, an order, its result. Each step knows when it is done. */
export function FirstSteps() {
  const { teamId, environment } = useTenant();
  const may = usePermissions();
  const [isHidden, setHidden] = useState(() => readHidden().includes(teamId));
  const hide = () => {
    localStorage.setItem(KEY, [...new Set([...readHidden(), teamId])].filter(Boolean).join(','));
    setHidden(true);
  };
  const isPermitted = ['users:write', 'orders:write', 'results:read', 'delivery:read'].every(may);
  if (environment !== 'sandbox' || isHidden || !isPermitted) return null;
  return <Steps onHide={hide} />;
}

function useProgress() {
  const path = useTeamParams();
  const users = api.useQuery('get', '/v2/user', { params: { query: { limit: 1, offset: 0 } } });
  const orders = api.useQuery('get', '/v3/orders', {
    params: { query: { size: 1, page: 1, order_key: 'created_at', order_direction: 'desc' } },
  });
  const completed = api.useQuery('get', '/v3/orders', {
    params: { query: { status: ['completed'], size: 1, page: 1 } },
  });
  const endpoints = api.useQuery('get', '/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
    params: { path, query: { limit: 1 } },
  });
  return {
    isKnown: users.isSuccess && orders.isSuccess && completed.isSuccess && endpoints.isSuccess,
    user: users.data?.users[0],
    order: orders.data?.orders[0],
    hasResult: (completed.data?.orders.length ?? 0) > 0,
    endpoint: endpoints.data?.data[0],
  };
}

function Steps({ onHide }: { readonly onHide: () => void }) {
  const goTo = useGoTo();
  const { isKnown, user, order, hasResult, endpoint } = useProgress();
  const steps = [endpoint !== undefined, user !== undefined, order !== undefined, hasResult];
  const current = steps.indexOf(false);
  if (!isKnown || current === -1) return null;
  const actions: readonly ReactNode[] = [
    <Group key="endpoint" gap="xs">
      <CreateInbox onMade={() => {}} />
      <Button variant="subtle" onClick={() => goTo('webhooks')}>
        Add an endpoint of your own
      </Button>
    </Group>,
    <MakeSampleUser key="user" onMade={(userId) => goTo('orders/new', { user_id: userId })} />,
    <Button key="order" onClick={() => goTo('orders/new', user ? { user_id: user.user_id } : {})}>
      Order a lab test
    </Button>,
    <Button key="result" onClick={() => order && goTo(`orders/${order.id}`)}>
      Open the order
    </Button>,
  ];
  return (
    <Section
      title="First steps in the sandbox"
      actions={
        <Button size="xs" variant="subtle" color="gray" c="dimmed" onClick={onHide}>
          Hide
        </Button>
      }
    >
      <List listStyleType="none" spacing="sm" styles={{ itemWrapper: { alignItems: 'flex-start' } }}>
        {TEXTS.map(({ title, text }, index) => (
          <List.Item
            key={title}
            aria-current={index === current ? 'step' : undefined}
            icon={
              <ThemeIcon variant="light" color={steps[index] ? 'teal' : 'gray'} radius="xl" size={24}>
                {steps[index] ? <IconCheck size={14} aria-label="Done" /> : index + 1}
              </ThemeIcon>
            }
          >
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <Text size="sm" c="dimmed">
              {text}
            </Text>
            {index === current && <Group mt="xs">{actions[index]}</Group>}
          </List.Item>
        ))}
      </List>
    </Section>
  );
}

const TEXTS = [
  {
    title: 'Receive the events',
    text: 'All that follows is sent as signed webhooks. The service can receive them itself: you see them under Webhooks, Received.',
  },
  {
    title: 'Make a sample user',
    text: 'An invented person with demographics and a month of wearable data.',
  },
  {
    title: 'Order a lab test',
    text: 'The form asks what the laboratory needs. In sandbox nothing is sent to a laboratory.',
  },
  {
    title: 'Let the result arrive',
    text: 'On the page of the order, “Go to the result” takes the order through all its steps at once.',
  },
];
