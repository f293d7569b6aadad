import { Anchor, Badge, Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconCheck } from '../../base/icons.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { shortId } from '../../base/short-id.ts';
import { PageFrame } from '../../components/page.tsx';
import { Loaded, Loading } from '../../components/states.tsx';
import { useUserNames } from '../../components/user-names.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { ATTENTION_TEXTS } from './attention.ts';
import { FirstSteps } from './first-steps.tsx';

/** The charts come later than the list: what needs a person must not wait for them. */
const Trends = lazy(() => import('./trends.tsx').then(({ Trends: component }) => ({ default: component })));

type Section = components['schemas']['AttentionSection'];

export function Page() {
  const overview = api.useQuery('get', '/v1/overview');
  return (
    <PageFrame
      title="Home"
      description="What needs a person, most urgent first."
      calls={[
        { method: 'GET', path: '/v1/overview' },
        { method: 'GET', path: '/v1/overview/trends', query: { days: '30' } },
      ]}
    >
      <FirstSteps />
      <Loaded query={overview} lines={4}>
        {({ data }) => <Attention sections={data.filter(({ count }) => count > 0)} />}
      </Loaded>
      <Suspense fallback={<Loading lines={6} />}>
        <Trends />
      </Suspense>
    </PageFrame>
  );
}

function Attention({ sections }: { readonly sections: readonly Section[] }) {
  const names = useUserNames(
    sections.flatMap(({ items }) => items.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]))),
  );
  if (sections.length === 0)
    return (
      <Paper>
        <Group>
          <ThemeIcon color="teal" variant="light" size="lg" radius="xl">
            <IconCheck size={20} />
          </ThemeIcon>
          <div>
            <Text fw={600}>Nothing needs you now</Text>
            <Text size="sm" c="dimmed">
              Critical and unmatched results, reports to review, orders that stand still and failing endpoints
              appear here.
            </Text>
          </div>
        </Group>
      </Paper>
    );
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
      {sections.map((section) => (
        <AttentionCard key={section.kind} section={section} names={names} />
      ))}
    </SimpleGrid>
  );
}

function AttentionCard({
  section: { kind, count, has_more: hasMore, items },
  names,
}: {
  readonly section: Section;
  readonly names: ReadonlyMap<string, string>;
}) {
  const pathOf = useTenantPath();
  const text = ATTENTION_TEXTS[kind];
  const nameOf = ({ user_id }: Section['items'][number]) => names.get(user_id ?? '');
  if (!text) return null;
  return (
    <Paper component="section" aria-label={text.title}>
      <Group justify="space-between" wrap="nowrap" mb={2}>
        <Title order={2}>
          <Anchor component={Link} to={pathOf(text.page)} c="inherit" inherit>
            {text.title}
          </Anchor>
        </Title>
        <Badge color={text.tone} variant="light" size="lg" className="numbers">
          {count}
          {hasMore ? '+' : ''}
        </Badge>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        {text.action}
      </Text>
      <Stack gap={6}>
        {items.map((item) => (
          <Group key={`${item.id}/${item.message_id}`} justify="space-between" wrap="nowrap" gap="xs">
            <Group gap="xs" wrap="nowrap" miw={0}>
              <Anchor
                component={Link}
                to={pathOf(text.pathOf?.(item) ?? text.page)}
                size="sm"
                truncate
                {...(nameOf(item) === undefined ? { ff: 'monospace' } : { title: item.id })}
              >
                {nameOf(item) ?? shortId(item.id)}
              </Anchor>
              {item.state !== null && <StatusBadge status={item.state} />}
            </Group>
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              {item.due_at === null ? (
                <TimeText value={item.at} relative="narrow" />
              ) : (
                <>
                  due <TimeText value={item.due_at} relative="narrow" />
                </>
              )}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
