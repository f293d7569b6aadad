import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { TimeText } from '../../components/values.tsx';
import { Roles } from './member-list.tsx';
import type { Invite } from './role-names.ts';
import { useTeamNames } from './use-team-names.ts';

const PATH = '/v1/org/{org_id}/invite';

export function InviteList() {
  const orgId = useOrgId();
  const { nameOf } = useTeamNames();
  const may = useOrganizationPermissions();
  const query = api.useInfiniteQuery('get', PATH, { params: { path: { org_id: orgId } } }, BY_CURSOR);
  const { run } = useAction([PATH]);
  const [url, setUrl] = useState<string>();
  const resend = ({ email, role, team_role_bindings: teams, is_owner: isOwner, roles }: Invite) =>
    run(async () => {
      const { data } = await client.POST(PATH, {
        params: { path: { org_id: orgId } },
        body: { email, role, team_role_bindings: teams, is_owner: isOwner, roles },
      });
      if (data?.invite_url) setUrl(data.invite_url);
    }, 'A new link replaces the earlier one.');
  const withdraw = ({ id, email }: Invite) =>
    confirm({
      title: 'Withdraw the invite?',
      text: `The link that ${email} has no longer works.`,
      action: 'Withdraw',
      isDangerous: true,
      run: () =>
        run(
          () =>
            client.DELETE('/v1/org/{org_id}/invite/{invite_id}', {
              params: { path: { org_id: orgId, invite_id: id } },
            }),
          'The invite is withdrawn.',
        ),
    });
  return (
    <>
      <Loaded query={query}>
        {({ pages }) => (
          <DataTable
            label="Pending invites"
            rows={pages.flatMap(({ invites }) => invites)}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title="No pending invites" call="POST /v1/org/{org_id}/invite">
                An invite is a link by which a person becomes a member with the roles that you choose. It
                works once, for 7 days.
              </EmptyState>
            }
            columns={[
              { title: 'E-mail', phone: 'title', render: ({ email }) => email },
              {
                title: 'Roles',
                phone: 'line',
                render: (invite) => <Roles member={invite} nameOf={nameOf} />,
              },
              {
                title: 'Sent',
                phone: 'detail',
                render: ({ invited_at: first, resent_at: again }) => (
                  <TimeText value={again ?? first} relative />
                ),
              },
              {
                title: 'Expires',
                phone: 'line',
                render: ({ expires_at: at }) => <TimeText value={at} relative />,
              },
              {
                title: 'Actions',
                phone: 'actions',
                align: 'right',
                render: (invite) =>
                  may('members:write') && (
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Button size="compact-xs" variant="default" onClick={() => void resend(invite)}>
                        Send again
                      </Button>
                      <Button size="compact-xs" variant="default" onClick={() => withdraw(invite)}>
                        Withdraw
                      </Button>
                    </Group>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <LoadMore query={query} />
      {url !== undefined && (
        <SecretOnce
          title="Send this link to the new member"
          text="This service has no mail server, so give the link to the person yourself. It works once, within 7 days."
          value={url}
          onClose={() => setUrl(undefined)}
        />
      )}
    </>
  );
}
