import { Anchor, Text } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { CopyId, EmailText, KeyValues, TimeText } from '../../components/values.tsx';
import { METHOD_NAMES, patientName, type Order } from './order-data.ts';

export function PatientSection({ order }: { readonly order: Order }) {
  const { patient_details: patient, patient_address: address } = order;
  return (
    <Section title="Patient">
      <KeyValues
        rows={[
          ['Name', patientName(order) || null],
          ['Born', patient?.dob.slice(0, 10)],
          ['Gender', patient?.gender],
          ['Phone', patient?.phone_number],
          ['E-mail', <EmailText key="email" email={patient?.email} />],
          [
            'Address',
            address &&
              [address.first_line, address.second_line, `${address.city}, ${address.state} ${address.zip}`]
                .filter(Boolean)
                .join(', '),
          ],
          ['User', <CopyId key="user" id={order.user_id} path={`users/${order.user_id}`} />],
        ]}
      />
    </Section>
  );
}

export const DetailsSection = ({ order }: { readonly order: Order }) => (
  <Section title="Details">
    <KeyValues
      rows={[
        ['Method', METHOD_NAMES[order.details.type]],
        ['Laboratory', order.lab_test.lab?.name],
        ['Sample', order.sample_id === null ? null : <CopyId key="sample" id={order.sample_id} />],
        ['Created', <TimeText key="created" value={order.created_at} />],
        ['Changed', <TimeText key="changed" value={order.updated_at} />],
        ['Result expected', order.expected_result_by_date],
        ['At the latest', order.worst_case_result_by_date],
        ['Released on', order.activate_by],
        ['Physician', order.physician && `${order.physician.first_name} ${order.physician.last_name}`],
        ['Billing', order.billing_type.replaceAll('_', ' ')],
        ['Priority', order.priority ? 'Yes (STAT)' : 'No'],
        ['Diagnoses', order.icd_codes?.join(', ')],
        ['Clinical notes', order.clinical_notes],
        ['Passthrough', order.passthrough],
      ]}
    />
  </Section>
);

/** Where the parcel of a test kit is, both ways. */
export function ParcelSection({ order }: { readonly order: Order }) {
  if (order.details.type !== 'testkit') return null;
  const shipment = order.details.data?.shipment;
  if (!shipment)
    return (
      <Section title="Parcel">
        <Text size="sm" c="dimmed">
          Not sent yet.
        </Text>
      </Section>
    );
  return (
    <Section title="Parcel">
      <KeyValues
        rows={[
          [
            'To the patient',
            <Tracking
              key="outbound"
              courier={shipment.outbound_courier}
              number={shipment.outbound_tracking_number}
              url={shipment.outbound_tracking_url}
            />,
          ],
          [
            'To the laboratory',
            <Tracking
              key="inbound"
              courier={shipment.inbound_courier}
              number={shipment.inbound_tracking_number}
              url={shipment.inbound_tracking_url}
            />,
          ],
          ['Notes', shipment.notes],
          ['Changed', <TimeText key="changed" value={shipment.updated_at} />],
        ]}
      />
    </Section>
  );
}

interface TrackingProps {
  readonly courier: string | null;
  readonly number: string | null;
  readonly url: string | null;
}

function Tracking({ courier, number, url }: TrackingProps) {
  if (number === null) return <Text size="sm">–</Text>;
  const isLink = url !== null && url.startsWith('https://');
  return (
    <>
      <Text size="sm" tt="uppercase">
        {courier}
      </Text>
      <CopyId id={number} />
      {isLink && (
        <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm" display="block" py={4}>
          Track at the courier
        </Anchor>
      )}
    </>
  );
}
