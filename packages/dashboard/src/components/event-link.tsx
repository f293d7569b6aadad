import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTenantPath } from '../base/tenant.ts';

interface EventLinkProps {
  readonly type: string;
  readonly position: number;
}

/** Leads to an event of the log. */
export function EventLink({ type, position }: EventLinkProps) {
  const pathOf = useTenantPath();
  return (
    <Anchor component={Link} to={pathOf('events')} search={{ position } as never} size="sm">
      {type}
    </Anchor>
  );
}
