import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePermissions, useTenantPath } from '../base/tenant.ts';
import { CopyId } from './values.tsx';

/** The API request in whose transaction an event was written. */
export function CausedBy({ requestId }: { readonly requestId: string | null }) {
  const may = usePermissions();
  const pathOf = useTenantPath();
  if (requestId === null) return <Text size="sm">Not known: no request of the team API, or a batch</Text>;
  if (!may('requests:read')) return <CopyId id={requestId} />;
  return (
    <Anchor component={Link} to={pathOf('requests')} search={{ request_id: requestId } as never} size="sm">
      API request {requestId}
    </Anchor>
  );
}
