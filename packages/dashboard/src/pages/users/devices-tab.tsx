import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { sentence } from '../../components/person-fields.ts';
import { ProviderName } from '../../components/provider-name.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId } from '../../components/values.tsx';
import { ConnectDemo } from './connect-demo.tsx';
import type { TabProps } from './tab.ts';

type Device = components['schemas']['ClientFacingDevice'];

const COLUMNS: readonly Column<Device>[] = [
  {
    title: 'Device',
    render: ({ device_manufacturer: maker, device_model: model }) =>
      [maker, model].filter(Boolean).join(' ') || 'Unknown device',
  },
  { title: 'Kind', render: (device) => sentence(device.source_type) },
  { title: 'Provider', render: ({ provider }) => <ProviderName slug={provider} /> },
  { title: 'Version', render: (device) => device.device_version ?? '–' },
  { title: 'App', render: (device) => device.app_id ?? '–' },
  { title: 'Id', render: (device) => <CopyId id={device.id} /> },
];

export function DevicesTab({ user }: TabProps) {
  const devices = api.useQuery('get', '/v2/user/{user_id}/device', {
    params: { path: { user_id: user.user_id } },
  });
  return (
    <Loaded query={devices}>
      {(rows) => (
        <DataTable
          label="Devices"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          empty={
            <EmptyState
              title="No devices yet"
              call="GET /v2/user/…/device"
              action={<ConnectDemo user={user} />}
            >
              Watches, rings, scales and sensors appear when a connected provider names them with its data.
            </EmptyState>
          }
        />
      )}
    </Loaded>
  );
}
