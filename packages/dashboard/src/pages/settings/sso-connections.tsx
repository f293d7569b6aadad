import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPlus } from '../../base/icons.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { KeyValues, StatusBadge } from '../../components/values.tsx';
import { labelOfRole } from './role-names.ts';
import { SsoDialog } from './sso-dialog.tsx';

const PATH = '/v1/org/{org_id}/sso_connection';
type Connection = components['schemas']['SsoConnection'];

export function SsoConnections() {
  const may = useOrganizationPermissions();
  const query = api.useQuery('get', PATH, { params: { path: { org_id: useOrgId() } } });
  const [edited, setEdited] = useState<Connection | 'new'>();
  const mayWrite = may('sign-in:write');
  const add = (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setEdited('new')}>
      Add a connection
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ redirect_uri: redirectUri, connections }) => (
        <>
          <Section title="For your identity provider">
            <Text size="sm" mb="xs">
              Register this service there as a web application with OpenID Connect, with this redirect URI:
            </Text>
            <CodeBlock text={redirectUri} />
          </Section>
          {connections.length === 0 ? (
            <EmptyState
              title="No single sign-on yet"
              call="POST /v1/org/{org_id}/sso_connection"
              action={mayWrite && add}
            >
              Members with an address of your verified domains sign in with your identity provider, such as
              Entra ID, Okta or Google Workspace, instead of a password.
            </EmptyState>
          ) : (
            <Group justify="flex-end">{mayWrite && add}</Group>
          )}
          {connections.map((connection) => (
            <ConnectionCard
              key={connection.id}
              connection={connection}
              mayWrite={mayWrite}
              onEdit={() => setEdited(connection)}
            />
          ))}
          {edited !== undefined && (
            <SsoDialog
              connection={edited === 'new' ? undefined : edited}
              redirectUri={redirectUri}
              onClose={() => setEdited(undefined)}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

interface ConnectionCardProps {
  readonly connection: Connection;
  readonly mayWrite: boolean;
  readonly onEdit: () => void;
}

function ConnectionCard({ connection, mayWrite, onEdit }: ConnectionCardProps) {
  const path = { org_id: useOrgId(), connection_id: connection.id };
  const { run, isBusy } = useAction([PATH]);
  const change = (body: components['schemas']['ChangeSsoConnectionInput'], done: string) =>
    run(() => client.PATCH(`${PATH}/{connection_id}`, { params: { path }, body }), done);
  const { name, is_active: isActive, is_enforced: isEnforced } = connection;
  const toggle = () =>
    isActive
      ? confirm({
          title: `Turn off ${name}?`,
          text: 'Sessions that began with it end, and its members need another way to sign in.',
          action: 'Turn off',
          isDangerous: true,
          run: () => change({ is_active: false }, 'The connection is off.'),
        })
      : void change({ is_active: true }, 'The connection is on.');
  const enforce = () =>
    confirm({
      title: isEnforced ? `No longer require ${name}?` : `Require ${name}?`,
      text: isEnforced
        ? 'Members of its domains may sign in with a password again.'
        : 'Members of its domains sign in only so; sessions that began otherwise end. Owners keep their password for the day when it fails.',
      action: isEnforced ? 'No longer require it' : 'Require it',
      run: () => change({ is_enforced: !isEnforced }, 'The connection is changed.'),
    });
  const remove = () =>
    confirm({
      title: `Delete ${name}?`,
      text: 'Members are unlinked from it, and sessions that began with it end. This cannot be undone.',
      action: 'Delete',
      isDangerous: true,
      run: () =>
        run(
          () => client.DELETE(`${PATH}/{connection_id}`, { params: { path } }),
          'The connection is deleted.',
        ),
    });
  return (
    <Section
      title={name}
      actions={
        mayWrite && (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={onEdit}>
              Edit
            </Button>
            <Button size="xs" variant="default" loading={isBusy} onClick={toggle}>
              {isActive ? 'Turn off' : 'Turn on'}
            </Button>
            <Button size="xs" variant="default" disabled={!isActive} onClick={enforce}>
              {isEnforced ? 'No longer require' : 'Require'}
            </Button>
            <Button size="xs" variant="default" onClick={remove}>
              Delete
            </Button>
          </Group>
        )
      }
    >
      <Stack gap="xs">
        <Group gap="xs">
          <StatusBadge status={isActive ? 'active' : 'off'} />
          {isEnforced && <StatusBadge status="required" />}
        </Group>
        <KeyValues
          rows={[
            ['Issuer', connection.issuer],
            ['Client id', connection.client_id],
            ['Client authentication', connection.client_authentication],
            ['Domains', connection.domains.join(', ')],
            [
              'Role of new members',
              connection.default_role ? labelOfRole(connection.default_role) : 'None: by invite only',
            ],
          ]}
        />
        <Text size="sm">Members begin here, or type their address at the sign-in:</Text>
        <CodeBlock text={connection.sign_in_url} />
      </Stack>
    </Section>
  );
}
