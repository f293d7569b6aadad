import { Anchor, Group, Stack, Text, Timeline } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { groupBy } from '../../base/group-by.ts';
import { usePermissions, useTenantPath } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { ORDERS_SHOWN, useOrdersOf, type Order } from './results.ts';
import type { TabProps, User } from './tab.ts';

type Provider = components['schemas']['ClientFacingProviderWithStatus'];

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly title: string;
  readonly status?: string;
  readonly detail?: string;
  readonly path?: string;
}

/** Newest first, also where several steps have the same time. */
const momentsOfOrder = ({ id, lab_test: { name }, events }: Order): Moment[] =>
  events.toReversed().map((event) => ({
    key: `${id} ${event.id}`,
    at: event.created_at,
    title: name,
    status: event.status,
    ...(event.status_detail ? { detail: event.status_detail.replaceAll('_', ' ') } : {}),
    path: `orders/${id}`,
  }));

const momentsOfProvider = (provider: Provider): Moment[] => {
  const errored = provider.error_details;
  return [
    { key: `${provider.slug} connected`, at: provider.created_on, title: provider.name, status: 'connected' },
    ...(errored
      ? [
          {
            key: `${provider.slug} error`,
            at: errored.errored_at,
            title: provider.name,
            status: 'error',
            detail: errored.error_message,
          },
        ]
      : []),
  ];
};

const momentsOfUser = (user: User): Moment[] => [
  { key: 'created', at: user.created_on, title: 'User created' },
];

/** Orders with their steps, appointments and results, and connections, newest first. */
export function TimelineTab({ user }: TabProps) {
  const may = usePermissions();
  const orders = useOrdersOf(user.user_id);
  const providers = api.useQuery(
    'get',
    '/v2/user/providers/{user_id}',
    { params: { path: { user_id: user.user_id } } },
    { enabled: may('connections:read') },
  );
  if (orders.isPending) return <Loading />;
  if (orders.error) return <ErrorNotice error={orders.error} onRetry={() => void orders.refetch()} />;
  const moments = [
    ...momentsOfUser(user),
    ...orders.data.orders.flatMap(momentsOfOrder),
    ...(providers.data?.providers ?? []).flatMap(momentsOfProvider),
  ].toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at));
  if (moments.length === 1)
    return (
      <EmptyState title="Nothing has happened yet">
        Orders with every step, appointments, results and connections of this user appear here.
      </EmptyState>
    );
  const days = [...groupBy(moments, ({ at }) => new Date(at).toDateString())];
  return (
    <Stack>
      {days.map(([day, ofDay]) => (
        <Section key={day} title={DAY.format(new Date(ofDay[0]?.at ?? day))}>
          <Timeline bulletSize={10} lineWidth={2} active={-1}>
            {ofDay.map((moment) => (
              <MomentItem key={moment.key} moment={moment} />
            ))}
          </Timeline>
        </Section>
      ))}
      {orders.data.orders.length === ORDERS_SHOWN && (
        <Text size="xs">The {ORDERS_SHOWN} newest orders are shown here; the tab of orders has all.</Text>
      )}
    </Stack>
  );
}

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

const MomentItem = ({ moment }: { readonly moment: Moment }) => (
  <Timeline.Item mt={8} pb={4}>
    <Group gap="sm" justify="space-between" wrap="wrap" mt={-5}>
      <Group gap="xs">
        <MomentTitle moment={moment} />
        {moment.status !== undefined && <StatusBadge status={moment.status} />}
        {moment.detail !== undefined && <Text size="sm">{moment.detail}</Text>}
      </Group>
      <Text size="xs">
        <TimeText value={moment.at} />
      </Text>
    </Group>
  </Timeline.Item>
);

function MomentTitle({ moment: { title, path } }: { readonly moment: Moment }) {
  const pathOf = useTenantPath();
  if (path === undefined)
    return (
      <Text size="sm" fw={500}>
        {title}
      </Text>
    );
  return (
    <Anchor component={Link} to={pathOf(path)} fz="sm" fw={500}>
      {title}
    </Anchor>
  );
}
