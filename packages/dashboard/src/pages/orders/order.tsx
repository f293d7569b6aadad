import { Grid, Stack } from '@mantine/core';
import { api } from '../../api/client.ts';
import { usePathParameter } from '../../base/tenant.ts';
import { AppointmentSection } from '../../components/appointment.tsx';
import { PageFrame, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge } from '../../components/values.tsx';
import { OrderActions } from './order-actions.tsx';
import { CriticalNotice } from './order-critical.tsx';
import type { Order } from './order-data.ts';
import { DeliveriesSection } from './order-deliveries.tsx';
import { DocumentsSection } from './order-documents.tsx';
import { DetailsSection, ParcelSection, PatientSection } from './order-facts.tsx';
import { PlaygroundSection } from './order-playground.tsx';
import { ResultsSection } from './order-results.tsx';
import { OrderTimeline } from './order-timeline.tsx';

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
      actions={order.data && <OrderActions order={order.data} />}
      calls={[
        { title: 'The order', method: 'GET', path: `/v3/order/${orderId}` },
        { title: 'Its results', method: 'GET', path: `/v3/order/${orderId}/result` },
        {
          title: 'Take the next step (sandbox)',
          method: 'POST',
          path: `/v3/order/${orderId}/test`,
          query: { step: 'true' },
        },
      ]}
    >
      <Loaded query={order} lines={12}>
        {(data) => <OrderView order={data} />}
      </Loaded>
    </PageFrame>
  );
}

const OrderView = ({ order }: { readonly order: Order }) => (
  <Grid gap="lg">
    <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
      <Stack gap="lg">
        <CriticalNotice order={order} />
        <PlaygroundSection order={order} />
        <ResultsSection order={order} />
        <DocumentsSection order={order} />
        <DeliveriesSection order={order} />
      </Stack>
    </Grid.Col>
    <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
      <Stack gap="lg">
        <Section title="Status">
          <OrderTimeline order={order} />
        </Section>
        <ParcelSection order={order} />
        <AppointmentSection order={order} />
        <PatientSection order={order} />
        <DetailsSection order={order} />
      </Stack>
    </Grid.Col>
  </Grid>
);
