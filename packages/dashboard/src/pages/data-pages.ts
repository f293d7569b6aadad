import { IconLaboratories, IconWearables } from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DATA_PAGES: readonly PageEntry[] = [
  { path: 'laboratories', title: 'Laboratories', group: 'Data', icon: IconLaboratories, permissions: ['delivery:read'], load: () => import('./laboratories/laboratories.tsx') },
  { path: 'laboratories/$connectionId', title: 'Connection', permissions: ['delivery:read'], load: () => import('./laboratories/connection.tsx') },
  { path: 'wearables', title: 'Wearables', group: 'Data', icon: IconWearables, permissions: ['connections:read'], load: () => import('./wearables/wearables.tsx') },
];
