import { IconCritical, IconReview, IconUnmatched } from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DESK_PAGES: readonly PageEntry[] = [
  { path: 'desks/critical', title: 'Critical results', group: 'Desks', icon: IconCritical, permissions: ['results:read'], load: () => import('./desks/critical.tsx') },
  { path: 'desks/unmatched', title: 'Unmatched results', group: 'Desks', icon: IconUnmatched, permissions: ['results:read'], load: () => import('./desks/unmatched.tsx') },
  { path: 'desks/reports', title: 'Lab report review', group: 'Desks', icon: IconReview, permissions: ['results:read'], load: () => import('./desks/reports.tsx') },
  { path: 'desks/reports/$jobId', title: 'Review of a lab report', permissions: ['results:read'], load: () => import('./desks/report.tsx') },
];
