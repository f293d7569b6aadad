import {
  IconDataProtection,
  IconOrganization,
  IconSettings,
  IconSignIn,
  IconUserShield,
} from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const ADMINISTRATION_PAGES: readonly PageEntry[] = [
  { path: 'account', title: 'Your account', load: () => import('./account/account.tsx') },
  { path: 'settings/team', title: 'Team settings', group: 'Administration', icon: IconSettings, permissions: ['organization:read'], load: () => import('./settings/team.tsx') },
  { path: 'settings/members', title: 'Members and roles', group: 'Administration', icon: IconUserShield, permissions: ['members:read'], load: () => import('./settings/members.tsx') },
  { path: 'settings/members/$memberId', title: 'Member', permissions: ['members:read'], load: () => import('./settings/member.tsx') },
  { path: 'settings/sign-in', title: 'Signing in', group: 'Administration', icon: IconSignIn, permissions: ['sign-in:read'], load: () => import('./settings/sign-in-settings.tsx') },
  { path: 'settings/data', title: 'Data protection', group: 'Administration', icon: IconDataProtection, permissions: ['retention:read'], load: () => import('./settings/data-protection.tsx') },
  { path: 'settings/organization', title: 'Organization', group: 'Administration', icon: IconOrganization, permissions: ['management-keys:read', 'organization:write'], load: () => import('./settings/organization.tsx') },
];
