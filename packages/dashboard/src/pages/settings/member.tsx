import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { api, ApiError, client } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { useGoTo, useOrganizationPermissions, useOrgId, usePathParameter } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { PageFrame, Section } from '../../components/page.tsx';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { Roles } from './member-list.tsx';
import { MemberFactors, MemberSessions } from './member-security.tsx';
import { RoleEditor, toRolesBody, type GivenRoles } from './role-editor.tsx';
import type { Member } from './role-names.ts';
import { useTeamNames } from './use-team-names.ts';

const LIST = '/v1/org/{org_id}/member';
const ONE = '/v1/org/{org_id}/member/{member_id}';
const PARENTS = [{ title: 'Members and roles', path: 'settings/members' }];

export function Page() {
  const id = usePathParameter('memberId');
  const query = api.useQuery('get', ONE, { params: { path: { org_id: useOrgId(), member_id: id } } });
  if (query.data) return <MemberPage member={query.data} />;
  return (
    <PageFrame title="Member" parents={PARENTS}>
      {!query.error ? (
        <Loading />
      ) : query.error instanceof ApiError && query.error.status === 404 ? (
        <EmptyState title="No such member">
          The person was removed, or is a member of another organization.
        </EmptyState>
      ) : (
        <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
      )}
    </PageFrame>
  );
}

function MemberPage({ member }: { readonly member: Member }) {
  const { nameOf } = useTeamNames();
  const may = useOrganizationPermissions();
  const orgId = useOrgId();
  const [isEditing, setEditing] = useState(false);
  const self = useSession().data?.session.member.id === member.id;
  return (
    <PageFrame
      title={member.name}
      parents={PARENTS}
      beside={<StatusBadge status={member.is_active ? 'active' : 'deactivated'} />}
      actions={may('members:write') && <MemberActions member={member} isSelf={self} />}
      calls={[
        { title: 'Read the member', method: 'GET', path: `/v1/org/${orgId}/member/${member.id}` },
        {
          title: 'Change the roles',
          method: 'PATCH',
          path: `/v1/org/${orgId}/member/${member.id}`,
          body: { role: member.role, team_role_bindings: null, roles: [{ role: 'readonly' }] },
        },
      ]}
    >
      <Section
        title="Member"
        actions={
          may('members:write') && (
            <Button size="xs" variant="default" onClick={() => setEditing(true)}>
              Change the roles
            </Button>
          )
        }
      >
        <KeyValues
          rows={[
            ['E-mail', member.email],
            ['Roles', <Roles key="roles" member={member} nameOf={nameOf} />],
            ['Member since', <TimeText key="since" value={member.created_on} />],
            ['Id', <CopyId key="id" id={member.id} />],
          ]}
        />
        {member.directory_roles.length > 0 && (
          <Text size="xs" c="dimmed">
            Roles by the directory are changed with its groups.
          </Text>
        )}
      </Section>
      <MemberFactors member={member} />
      <MemberSessions member={member} />
      {isEditing && <RolesDialog member={member} onClose={() => setEditing(false)} />}
    </PageFrame>
  );
}

function RolesDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const orgId = useOrgId();
  const [roles, setRoles] = useState<GivenRoles>({
    role: member.role,
    teamIds: (member.team_role_bindings ?? []).map(({ team_id: id }) => id),
    isOwner: member.is_owner,
    roles: member.roles,
  });
  return (
    <FormDialog
      title={`Roles of ${member.name}`}
      action="Save"
      size="lg"
      changes={[LIST, ONE]}
      onClose={onClose}
      onSubmit={() =>
        client.PATCH(ONE, {
          params: { path: { org_id: orgId, member_id: member.id } },
          body: toRolesBody(roles),
        })
      }
    >
      <RoleEditor value={roles} onChange={setRoles} />
      <Text size="xs" c="dimmed">
        Takes effect within three seconds, also in open sessions.
      </Text>
    </FormDialog>
  );
}

function MemberActions({ member, isSelf }: { readonly member: Member; readonly isSelf: boolean }) {
  const orgId = useOrgId();
  const goTo = useGoTo();
  const { run, isBusy } = useAction([LIST, ONE]);
  const path = { org_id: orgId, member_id: member.id };
  const setActive = (isActive: boolean) =>
    run(
      () =>
        client.PATCH(ONE, {
          params: { path },
          body: { role: null, team_role_bindings: null, is_active: isActive },
        }),
      isActive ? `${member.name} has access again.` : `${member.name} has no access any more.`,
    );
  const deactivate = () =>
    confirm({
      title: `Deactivate ${member.name}?`,
      text: 'Sessions, links and tokens end at once. The roles are kept, so that you can turn the access on again.',
      action: 'Deactivate',
      isDangerous: true,
      run: () => setActive(false),
    });
  const remove = () =>
    confirm({
      title: `Remove ${member.name}?`,
      text: 'The person loses all access and can return only by a new invite. The logs keep the name.',
      action: 'Remove the member',
      isDangerous: true,
      run: () =>
        run(async () => {
          await client.DELETE(ONE, { params: { path } });
          goTo('settings/members');
        }, 'The member is removed.'),
    });
  return (
    <Group gap="xs">
      {member.is_active ? (
        <Button size="xs" variant="default" loading={isBusy} disabled={isSelf} onClick={deactivate}>
          Deactivate
        </Button>
      ) : (
        <Button size="xs" variant="default" loading={isBusy} onClick={() => void setActive(true)}>
          Activate
        </Button>
      )}
      <Button size="xs" variant="default" disabled={isSelf} onClick={remove}>
        Remove
      </Button>
    </Group>
  );
}
