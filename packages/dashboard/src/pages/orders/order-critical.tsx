import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { IconAlert } from '../../base/icons.ts';
import { usePermissions, useTenantPath } from '../../base/tenant.ts';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { hasResults, type Order } from './order-data.ts';

/** Critical results of the order, above everything else: a person has to act. */
export function CriticalNotice({ order }: { readonly order: Order }) {
  const may = usePermissions();
  const pathOf = useTenantPath();
  const isAsked = may('results:read') && hasResults(order);
  const critical = api.useQuery(
    'get',
    '/v3/order/{order_id}/critical_results',
    { params: { path: { order_id: order.id } } },
    { enabled: isAsked },
  );
  const rows = critical.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <>
      {rows.map((row) => (
        <Alert
          key={row.id}
          color={row.status === 'acknowledged' ? 'gray' : 'red'}
          icon={<IconAlert size={18} />}
          title={
            row.status === 'acknowledged' ? 'Critical result, read back' : 'Critical result, not read back'
          }
        >
          <Text size="sm">
            {row.results
              .map(({ name, result, unit, reference_range: range }) =>
                [name, result, unit, range && `(range ${range})`].filter(Boolean).join(' '),
              )
              .join('; ')}
          </Text>
          <Text size="sm">
            <StatusBadge status={row.status} /> due <TimeText value={row.escalation_due_at} relative />.{' '}
            <Anchor
              component={Link}
              to={pathOf('desks/critical')}
              search={{ selected: row.id } as never}
              size="sm"
              fw={600}
            >
              Open at the desk
            </Anchor>
          </Text>
        </Alert>
      ))}
    </>
  );
}
