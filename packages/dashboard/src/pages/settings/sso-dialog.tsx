import { Anchor, PasswordInput, Select, TagsInput, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useOrgId, useTenantPath } from '../../base/tenant.ts';
import { FormDialog } from '../../components/form-dialog.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { ASSIGNABLE_ROLES } from './role-names.ts';

const PATH = '/v1/org/{org_id}/sso_connection';
type Connection = components['schemas']['SsoConnection'];
type DefaultRole = NonNullable<Connection['default_role']>;

const AUTHENTICATIONS = [
  { value: 'client_secret_basic', label: 'Secret in the header' },
  { value: 'client_secret_post', label: 'Secret in the body' },
  { value: 'none', label: 'None (public client)' },
];

interface SsoDialogProps {
  /** Undefined: a new one. */
  readonly connection: Connection | undefined;
  readonly redirectUri: string;
  readonly onClose: () => void;
}

function useVerifiedDomains(orgId: string): string[] {
  const domains = api.useQuery('get', '/v1/org/{org_id}/domain', { params: { path: { org_id: orgId } } });
  return (domains.data?.data ?? [])
    .filter(({ is_verified: isVerified }) => isVerified)
    .map(({ domain }) => domain);
}

export function SsoDialog({ connection, redirectUri, onClose }: SsoDialogProps) {
  const orgId = useOrgId();
  const pathOf = useTenantPath();
  const verified = useVerifiedDomains(orgId);
  const [name, setName] = useState(connection?.name ?? '');
  const [issuer, setIssuer] = useState(connection?.issuer ?? '');
  const [clientId, setClientId] = useState(connection?.client_id ?? '');
  const [secret, setSecret] = useState('');
  const [authentication, setAuthentication] = useState(
    connection?.client_authentication ?? 'client_secret_basic',
  );
  const [domains, setDomains] = useState<string[]>(connection?.domains ?? []);
  const [role, setRole] = useState<string | null>(connection?.default_role ?? null);
  const submit = async () => {
    const body = {
      name: name.trim(),
      issuer: issuer.trim(),
      client_id: clientId.trim(),
      client_authentication: authentication,
      domains,
      default_role: role as DefaultRole | null,
      ...(secret === '' ? {} : { client_secret: secret }),
    };
    if (connection)
      await client.PATCH(`${PATH}/{connection_id}`, {
        params: { path: { org_id: orgId, connection_id: connection.id } },
        body,
      });
    else await client.POST(PATH, { params: { path: { org_id: orgId } }, body: { ...body, is_active: true } });
  };
  return (
    <FormDialog
      title={connection ? `Edit ${connection.name}` : 'Add a single sign-on connection'}
      action={connection ? 'Save' : 'Add'}
      size="lg"
      changes={[PATH]}
      onClose={onClose}
      onSubmit={submit}
    >
      <Text size="sm">Redirect URI to register at the identity provider:</Text>
      <CodeBlock text={redirectUri} />
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Issuer"
        description="The URL before /.well-known/openid-configuration; it is read when you save."
        type="url"
        required
        placeholder="https://login.example.com"
        value={issuer}
        onChange={(event) => setIssuer(event.currentTarget.value)}
      />
      <TextInput
        label="Client id"
        required
        value={clientId}
        onChange={(event) => setClientId(event.currentTarget.value)}
      />
      <Select
        label="Client authentication"
        allowDeselect={false}
        data={AUTHENTICATIONS}
        value={authentication}
        onChange={(value) => setAuthentication((value ?? 'client_secret_basic') as typeof authentication)}
      />
      {authentication !== 'none' && (
        <PasswordInput
          label="Client secret"
          autoComplete="off"
          required={!connection}
          description={connection ? 'Leave it empty to keep the stored one.' : undefined}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
      <TagsInput
        label="Domains"
        description={
          verified.length > 0 ? (
            'Members with an address of these domains use this connection.'
          ) : (
            <>
              Only verified domains.{' '}
              <Anchor
                component={Link}
                to={pathOf('settings/sign-in')}
                search={{ tab: 'domains' } as never}
                size="xs"
              >
                Verify one first
              </Anchor>
            </>
          )
        }
        data={verified}
        value={domains}
        onChange={setDomains}
      />
      <Select
        label="Role of new members"
        description="Given to a person of these domains who signs in for the first time without an invite."
        clearable
        placeholder="None: by invite only"
        data={ASSIGNABLE_ROLES.filter(({ value }) => value !== 'administrator').map(({ value, label }) => ({
          value,
          label,
        }))}
        value={role}
        onChange={setRole}
      />
    </FormDialog>
  );
}
