import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { UrlTabs } from '../../components/url-tabs.tsx';
import { Directory } from './directory.tsx';
import { Domains } from './domains.tsx';
import { SignInPolicy } from './sign-in-policy.tsx';
import { SsoConnections } from './sso-connections.tsx';

export function Page() {
  const org = `/v1/org/${useOrgId()}`;
  const may = useOrganizationPermissions();
  return (
    <PageFrame
      title="Signing in"
      description="How members prove who they are, and where their accounts come from."
      calls={[
        {
          title: 'Require a second factor',
          method: 'PATCH',
          path: `${org}/sign_in_policy`,
          body: { require_second_factor: true },
        },
        { title: 'List single sign-on connections', method: 'GET', path: `${org}/sso_connection` },
        { title: 'Add a domain', method: 'POST', path: `${org}/domain`, body: { domain: 'example.com' } },
        {
          title: 'Create a directory token',
          method: 'POST',
          path: `${org}/directory_token`,
          body: { label: 'Okta' },
        },
      ]}
    >
      <UrlTabs
        label="Signing in"
        tabs={[
          { value: 'policy', label: 'Policy', isShown: may('sign-in:read'), render: () => <SignInPolicy /> },
          {
            value: 'sso',
            label: 'Single sign-on',
            isShown: may('sign-in:read'),
            render: () => <SsoConnections />,
          },
          { value: 'domains', label: 'Domains', isShown: may('domains:read'), render: () => <Domains /> },
          {
            value: 'directory',
            label: 'Directory',
            isShown: may('directory:read'),
            render: () => <Directory />,
          },
        ]}
      />
    </PageFrame>
  );
}
