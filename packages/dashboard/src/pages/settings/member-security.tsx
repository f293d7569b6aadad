import { Button, Group, Text } from '@mantine/core';
import { api, client } from '../../api/client.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { SessionTable } from '../../components/session-table.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { KeyValues, TimeText } from '../../components/values.tsx';
import type { Member } from './role-names.ts';

const FACTORS = '/v1/org/{org_id}/member/{member_id}/second_factor';
const SESSIONS = '/v1/org/{org_id}/member/{member_id}/session';

/** How the member signs in, and what an administrator can undo when a device is lost. */
export function MemberFactors({ member }: { readonly member: Member }) {
  const path = { org_id: useOrgId(), member_id: member.id };
  const may = useOrganizationPermissions();
  const query = api.useQuery('get', FACTORS, { params: { path } });
  const { run, isBusy } = useAction([FACTORS, SESSIONS]);
  const askToRemove = () =>
    confirm({
      title: `Remove the second factors of ${member.name}?`,
      text: 'The authenticator app, all passkeys and the recovery codes end, and so do the sessions. The member is told by e-mail.',
      action: 'Remove them',
      isDangerous: true,
      run: () => run(() => client.DELETE(FACTORS, { params: { path } }), 'The second factors are removed.'),
    });
  const askToUnlink = () =>
    confirm({
      title: `Unlink ${member.name} from single sign-on?`,
      text: 'At the next single sign-on the account of the identity provider is linked again by its verified address.',
      action: 'Unlink',
      isDangerous: true,
      run: () =>
        run(
          () => client.DELETE('/v1/org/{org_id}/member/{member_id}/sso_identity', { params: { path } }),
          'The member is unlinked.',
        ),
    });
  return (
    <Section
      title="Second factors"
      actions={
        <Group gap="xs">
          {may('sign-in:write') && (
            <Button size="xs" variant="default" onClick={askToUnlink}>
              Unlink from single sign-on
            </Button>
          )}
          {may('members:write') && (
            <Button
              size="xs"
              variant="default"
              loading={isBusy}
              disabled={!query.data?.totp && (query.data?.passkeys ?? 0) === 0}
              onClick={askToRemove}
            >
              Remove
            </Button>
          )}
        </Group>
      }
    >
      <Loaded query={query} lines={2}>
        {({ totp, passkeys, recovery_codes_left: left }) => (
          <KeyValues
            rows={[
              ['Authenticator app', totp ? <TimeText key="totp" value={totp.confirmed_at} /> : 'None'],
              ['Passkeys', String(passkeys)],
              ['Recovery codes left', String(left)],
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

export function MemberSessions({ member }: { readonly member: Member }) {
  const path = { org_id: useOrgId(), member_id: member.id };
  const may = useOrganizationPermissions();
  const query = api.useQuery('get', SESSIONS, { params: { path } });
  const { run, isBusy } = useAction([SESSIONS]);
  const end = (sessionId: string) =>
    client.DELETE('/v1/org/{org_id}/member/{member_id}/session/{session_id}', {
      params: { path: { ...path, session_id: sessionId } },
    });
  const sessions = query.data?.sessions ?? [];
  const endAll = () =>
    confirm({
      title: `End all sessions of ${member.name}?`,
      text: 'The member is signed out everywhere at once.',
      action: 'End all',
      isDangerous: true,
      run: () =>
        run(() => Promise.all(sessions.map(({ session_id: id }) => end(id))), 'The sessions have ended.'),
    });
  return (
    <Section
      title="Sessions"
      actions={
        may('sessions:revoke') &&
        sessions.length > 1 && (
          <Button size="xs" variant="default" loading={isBusy} onClick={endAll}>
            End all
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {(found) =>
          found.sessions.length === 0 ? (
            <Text size="sm" c="dimmed">
              Not signed in anywhere.
            </Text>
          ) : (
            <SessionTable
              sessions={found.sessions}
              {...(may('sessions:revoke')
                ? {
                    onEnd: ({ session_id: id }: { session_id: string }) =>
                      void run(() => end(id), 'The session has ended.'),
                  }
                : {})}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
