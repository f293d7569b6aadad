import { Alert, Anchor, Box, Button, Center, Code, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { IconAlert } from '../base/icons.ts';

/** A page while its data come: as high as what will follow, so that nothing jumps. */
export const Loading = ({ lines = 6 }: { readonly lines?: number }) => (
  <Stack gap="sm" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      <Skeleton key={line} h={28} radius="sm" />
    ))}
  </Stack>
);

/** What the API said, what to do, and the id that finds the request in the logs. */
export function ErrorNotice({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { title, hint } = describeError(error);
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" icon={<IconAlert size={18} />} title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
        {hint !== undefined && <Text size="sm">{hint}</Text>}
        {requestId !== null && (
          <Text size="xs">
            Request <Code>{requestId}</Code>
          </Text>
        )}
        {onRetry && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

function describeError(error: unknown): { title: string; hint?: string } {
  // What a page itself says, such as that no passkey was chosen. A request without an answer is a TypeError.
  if (error instanceof Error && !(error instanceof ApiError) && !(error instanceof TypeError))
    return { title: 'That did not work' };
  if (!(error instanceof ApiError))
    return { title: 'The service is not reachable', hint: 'Check your connection, then try again.' };
  if (error.status === 401)
    return { title: 'That did not match', hint: 'Check what you typed and try again.' };
  if (error.status === 403)
    return { title: 'You may not do this', hint: 'Ask an administrator of your organization for the role.' };
  if (error.status === 404)
    return { title: 'Not found', hint: 'It was removed, or it belongs to another team or environment.' };
  if (error.status === 409)
    return {
      title: 'Another change came first, or the state does not allow it',
      hint: 'Load the page again and look.',
    };
  if (error.status === 422 || error.status === 400)
    return { title: 'Something is missing or wrong', hint: 'Correct it and send it again.' };
  if (error.status === 429) return { title: 'Too many requests', hint: 'Wait a moment, then try again.' };
  return {
    title: 'The service has a problem',
    hint: 'Try again. If it stays, give the request id to the operator.',
  };
}

interface EmptyStateProps {
  readonly title: string;
  /** What this is, for a reader who sees it for the first time. */
  readonly children: ReactNode;
  /** The API call that makes one, such as `POST /v2/user`. */
  readonly call?: string;
  readonly action?: ReactNode;
}

/** Quiet and without a frame of its own: most stand in a section, which has one. */
export const EmptyState = ({ title, children, call, action }: EmptyStateProps) => (
  <Stack align="center" gap={6} py="lg" px="xs" maw={520} mx="auto" miw={0} ta="center">
    <Text size="sm" fw={600}>
      {title}
    </Text>
    <Text size="sm" c="dimmed">
      {children}
    </Text>
    {call !== undefined && (
      <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {call}
      </Text>
    )}
    {action && <Box mt={6}>{action}</Box>}
  </Stack>
);

/** For a page that the roles of the member do not include. */
export const NoAccess = ({ permissions }: { readonly permissions: readonly string[] }) => (
  <EmptyState title="Your role does not include this page">
    It needs the permission {permissions.join(' or ')} in this environment. Ask an administrator of your
    organization for a role that has it.
  </EmptyState>
);

export const UnknownPage = () => (
  <Center mih="60vh">
    <Stack align="center">
      <Title order={1}>This page does not exist</Title>
      <Text c="dimmed">The link is wrong, or you have no access to its team.</Text>
      <Anchor component={Link} to="/">
        Go to the home page
      </Anchor>
    </Stack>
  </Center>
);

/** Data, or what is there instead of them. */
export function Loaded<T>({
  query,
  children,
  lines = 6,
}: {
  readonly query: { data: T | undefined; error: unknown; isPending: boolean; refetch: () => unknown };
  readonly children: (data: T) => ReactNode;
  readonly lines?: number;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) return <Loading lines={lines} />;
  return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
}
