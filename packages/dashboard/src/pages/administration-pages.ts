import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const ADMINISTRATION_PAGES: readonly PageEntry[] = [
  { path: 'account', title: 'Your account', load: () => import('./account/account.tsx') },
];
