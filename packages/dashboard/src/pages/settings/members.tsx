import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { UrlTabs } from '../../components/url-tabs.tsx';
import { InviteButton } from './invite-dialog.tsx';
import { InviteList } from './invite-list.tsx';
import { MemberList } from './member-list.tsx';
import { RoleMatrix } from './role-matrix.tsx';

export function Page() {
  const orgId = useOrgId();
  const may = useOrganizationPermissions();
  const isReader = may('members:read');
  return (
    <PageFrame
      title="Members and roles"
      description="The people of your organization, and what each of them may do."
      actions={may('members:write') && <InviteButton />}
      calls={[
        { title: 'List the members', method: 'GET', path: `/v1/org/${orgId}/member` },
        {
          title: 'Invite a member',
          method: 'POST',
          path: `/v1/org/${orgId}/invite`,
          body: { email: 'ada@example.com', role: 'no_role', roles: [{ role: 'readonly' }] },
        },
      ]}
    >
      <UrlTabs
        label="Members and roles"
        tabs={[
          { value: 'members', label: 'Members', isShown: isReader, render: () => <MemberList /> },
          { value: 'invites', label: 'Invites', isShown: isReader, render: () => <InviteList /> },
          { value: 'roles', label: 'What each role may do', render: () => <RoleMatrix /> },
        ]}
      />
    </PageFrame>
  );
}
