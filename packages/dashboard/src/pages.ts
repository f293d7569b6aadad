import type { PageEntry } from './base/page-entry.ts';
import { ADMINISTRATION_PAGES } from './pages/administration-pages.ts';
import { CARE_PAGES } from './pages/care-pages.ts';
import { DATA_PAGES } from './pages/data-pages.ts';
import { DESK_PAGES } from './pages/desk-pages.ts';
import { DEVELOPER_PAGES } from './pages/developer-pages.ts';
import { HOME_PAGES } from './pages/home-pages.ts';

/** Every page of a team. The router, the navigation, the command palette and the tests walk this table. */
export const PAGES: readonly PageEntry[] = [
  ...HOME_PAGES,
  ...CARE_PAGES,
  ...DESK_PAGES,
  ...DATA_PAGES,
  ...DEVELOPER_PAGES,
  ...ADMINISTRATION_PAGES,
];
