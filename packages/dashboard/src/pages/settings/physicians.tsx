import { api } from '../../api/client.ts';
import { useTenant } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId } from '../../components/values.tsx';

export function Physicians() {
  const { teamId } = useTenant();
  const query = api.useQuery('get', '/v2/team/{team_id}/physicians', {
    params: { path: { team_id: teamId } },
  });
  return (
    <Section title="Ordering physicians">
      <Loaded query={query} lines={4}>
        {(physicians) => (
          <DataTable
            label="Physicians"
            rows={physicians}
            keyOf={({ npi }) => npi}
            empty={
              <EmptyState title="No physicians" call="GET /v2/team/{team_id}/physicians">
                The physicians of this service, one of whom orders where neither the order nor its lab account
                names one. The operator lists them in the setting PHYSICIANS.
              </EmptyState>
            }
            columns={[
              { title: 'Name', render: ({ first_name: first, last_name: last }) => `${first} ${last}` },
              { title: 'NPI', render: ({ npi }) => <CopyId id={npi} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
