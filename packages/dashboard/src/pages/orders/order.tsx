import { api } from '../../api/client.ts';
import { usePathParameter } from '../../base/tenant.ts';
import { PageFrame, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, JsonView, StatusBadge } from '../../components/values.tsx';

export function Page() {
  const orderId = usePathParameter('orderId');
  const order = api.useQuery('get', '/v3/order/{order_id}', { params: { path: { order_id: orderId } } });
  return (
    <PageFrame
      title={order.data?.lab_test.name ?? 'Order'}
      parents={[{ title: 'Orders', path: 'orders' }]}
      beside={
        <>
          <StatusBadge status={order.data?.last_event.status} />
          <CopyId id={orderId} />
        </>
      }
      calls={[{ method: 'GET', path: `/v3/order/${orderId}` }]}
    >
      <Loaded query={order}>
        {(data) => (
          <Section title="Details">
            <JsonView value={data.details} />
          </Section>
        )}
      </Loaded>
    </PageFrame>
  );
}
