import { Badge, Button, Group, Text } from '@mantine/core';
import type { components } from '../api/openapi.d.ts';
import { DataTable } from './data-table.tsx';
import { TimeText } from './values.tsx';

type MemberSession = components['schemas']['MemberSessionList']['sessions'][number];

const METHODS: Readonly<Record<MemberSession['method'], string>> = {
  password: 'Password',
  passkey: 'Passkey',
  sso: 'Single sign-on',
  link: 'Sign-in link',
};

interface SessionTableProps {
  readonly sessions: readonly MemberSession[];
  readonly onEnd?: (session: MemberSession) => void;
}

/** Where a member is signed in. */
export const SessionTable = ({ sessions, onEnd }: SessionTableProps) => (
  <DataTable
    label="Sessions"
    rows={sessions}
    keyOf={({ session_id: id }) => id}
    empty={
      <Text size="sm" c="dimmed">
        Not signed in anywhere.
      </Text>
    }
    columns={[
      {
        title: 'Device',
        phone: 'title',
        render: ({ device, is_current: isCurrent }) => (
          <Group gap="xs" wrap="nowrap">
            <Text size="sm">{device === null ? 'Unknown' : describeDevice(device)}</Text>
            {isCurrent && (
              <Badge variant="light" tt="none" color="teal" style={{ flexShrink: 0 }}>
                This one
              </Badge>
            )}
          </Group>
        ),
      },
      { title: 'Signed in with', phone: 'detail', render: ({ method }) => METHODS[method] },
      { title: 'Address', phone: 'line', render: ({ address }) => address },
      { title: 'Signed in', phone: 'line', render: ({ created_at: at }) => <TimeText value={at} /> },
      {
        title: 'Last seen',
        phone: 'aside',
        render: ({ last_seen_at: at }) => <TimeText value={at} relative />,
      },
      {
        title: 'Actions',
        phone: 'state',
        align: 'right',
        render: (session) =>
          onEnd &&
          !session.is_current && (
            <Button size="compact-xs" variant="default" onClick={() => onEnd(session)}>
              End
            </Button>
          ),
      },
    ]}
  />
);

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** "Chrome on Linux" of what a browser says about itself; what is not a browser stays as it is. */
function describeDevice(device: string): string {
  const browser = BROWSERS.find(([mark]) => device.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => device.includes(mark))?.[1];
  if (browser === undefined) return device.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}
