import { IconUserShield } from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const ADMINISTRATION_PAGES: readonly PageEntry[] = [
  { path: 'account', title: 'Your account', load: () => import('./account/account.tsx') },
  { path: 'settings/members', title: 'Members and roles', group: 'Administration', icon: IconUserShield, permissions: ['members:read'], load: () => import('./settings/members.tsx') },
  { path: 'settings/members/$memberId', title: 'Member', permissions: ['members:read'], load: () => import('./settings/member.tsx') },
];
