import { IconHome } from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const HOME_PAGES: readonly PageEntry[] = [
  { path: 'home', title: 'Home', group: 'Overview', icon: IconHome, load: () => import('./home/home.tsx') },
];
