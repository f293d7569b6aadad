import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { LabName } from '../../components/lab-name.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge } from '../../components/values.tsx';

type LabAccount = components['schemas']['ClientFacingLabAccount'];

const COLUMNS: readonly Column<LabAccount>[] = [
  {
    title: 'Account',
    phone: 'title',
    render: (account) => account.account_name ?? account.provider_account_id,
  },
  { title: 'Laboratory', phone: 'detail', render: ({ lab }) => <LabName slug={lab} /> },
  { title: 'Status', phone: 'state', render: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Delegation', phone: 'line', render: ({ delegated_flow: flow }) => sentence(flow) },
  { title: 'Number', phone: 'aside', render: ({ provider_account_id: number }) => number },
  { title: 'Billing', phone: 'line', render: ({ allowed_billing: billing }) => printBilling(billing) },
  { title: 'Id', render: ({ id }) => <CopyId id={id} /> },
];

const printBilling = (billing: LabAccount['allowed_billing']): string =>
  Object.entries(billing)
    .map(
      ([type, states]) => `${sentence(type)} (${states.length} ${states.length === 1 ? 'state' : 'states'})`,
    )
    .join(', ') || '–';

export function LabAccountsTab() {
  const accounts = api.useQuery('get', '/v3/lab_test/lab_account');
  return (
    <Loaded query={accounts}>
      {({ data }) => (
        <DataTable
          label="Lab accounts"
          columns={COLUMNS}
          rows={data}
          keyOf={({ id }) => id}
          empty={
            <EmptyState title="No lab accounts" call="GET /v3/lab_test/lab_account">
              A lab account is the number under which a laboratory knows your organization. Without one,
              orders go through the account of this deployment.
            </EmptyState>
          }
        />
      )}
    </Loaded>
  );
}
