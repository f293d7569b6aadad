import { Button, Modal, SimpleGrid } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { usePermissions } from '../../base/tenant.ts';
import { useUserOverview } from '../../components/demographics.ts';
import { Section } from '../../components/page.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState, ErrorNotice, Loaded, Loading } from '../../components/states.tsx';
import { EmailText, KeyValues } from '../../components/values.tsx';
import { InsuranceForm } from './insurance-form.tsx';
import type { TabProps } from './tab.ts';

type Insurance = components['schemas']['ClientFacingInsurance'];

/** Which insurances there are is asked first, because one that is not there is an error. */
export function InsuranceTab({ user }: TabProps) {
  const overview = useUserOverview(user.user_id);
  return (
    <Loaded query={overview}>
      {({ has_primary_insurance: hasPrimary, has_secondary_insurance: hasSecondary }) => (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <InsuranceOf userId={user.user_id} isPrimary isMissing={!hasPrimary} />
          <InsuranceOf userId={user.user_id} isPrimary={false} isMissing={!hasSecondary} />
        </SimpleGrid>
      )}
    </Loaded>
  );
}

interface InsuranceOfProps {
  readonly userId: string;
  readonly isPrimary: boolean;
  readonly isMissing: boolean;
}

function InsuranceOf({ userId, isPrimary, isMissing }: InsuranceOfProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayWrite = usePermissions()('users:write');
  const insurance = api.useQuery(
    'get',
    '/v2/user/{user_id}/insurance/latest',
    { params: { path: { user_id: userId }, query: { is_primary: isPrimary } } },
    { enabled: !isMissing },
  );
  const title = isPrimary ? 'Primary insurance' : 'Secondary insurance';
  return (
    <Section
      title={title}
      actions={
        mayWrite &&
        insurance.data && (
          <Button
            variant="default"
            size="xs"
            onClick={open}
            aria-label={`Replace the ${title.toLowerCase()}`}
          >
            Replace
          </Button>
        )
      }
    >
      {!isMissing && insurance.isPending && <Loading lines={4} />}
      {insurance.error && !isMissing && (
        <ErrorNotice error={insurance.error} onRetry={() => void insurance.refetch()} />
      )}
      {isMissing && (
        <EmptyState
          title={`No ${title.toLowerCase()}`}
          call="POST /v2/user/…/insurance"
          action={
            mayWrite && (
              <Button variant="default" onClick={open}>
                Add insurance
              </Button>
            )
          }
        >
          Needed only for orders that are billed to an insurance.
        </EmptyState>
      )}
      {insurance.data && <KeyValues rows={rowsOf(insurance.data)} />}
      <Modal opened={isOpen} onClose={close} title={title} size="lg">
        <InsuranceForm userId={userId} isPrimary={isPrimary} onClose={close} />
      </Modal>
    </Section>
  );
}

const rowsOf = ({ company, payor_code, member_id, group_id, relationship, insured }: Insurance) =>
  [
    ['Company', company.name],
    ['Payor code', payor_code],
    ['Member id', member_id],
    ['Group id', group_id],
    ['Patient is', sentence(relationship)],
    ['Insured', `${insured.first_name} ${insured.last_name}, born ${insured.dob}, ${insured.gender}`],
    ['Phone', insured.phone_number],
    ['E-mail', <EmailText key="email" email={insured.email} />],
  ] as const;
