import { IconWebhooks } from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DEVELOPER_PAGES: readonly PageEntry[] = [
  { path: 'webhooks', title: 'Webhooks', group: 'Developers', icon: IconWebhooks, permissions: ['delivery:read'], load: () => import('./webhooks/webhooks.tsx') },
  { path: 'webhooks/$webhookId', title: 'Endpoint', permissions: ['delivery:read'], load: () => import('./webhooks/endpoint.tsx') },
];
