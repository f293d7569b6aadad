import {
  IconAudit,
  IconDevelopers,
  IconEvents,
  IconLogs,
  IconReference,
  IconWebhooks,
} from '../base/icons.ts';
import type { PageEntry } from '../base/page-entry.ts';

// prettier-ignore
export const DEVELOPER_PAGES: readonly PageEntry[] = [
  { path: 'webhooks', title: 'Webhooks', group: 'Developers', icon: IconWebhooks, permissions: ['delivery:read'], load: () => import('./webhooks/webhooks.tsx') },
  { path: 'webhooks/$webhookId', title: 'Endpoint', permissions: ['delivery:read'], load: () => import('./webhooks/endpoint.tsx') },
  { path: 'events', title: 'Events', group: 'Developers', icon: IconEvents, permissions: ['messages:read'], load: () => import('./events/events.tsx') },
  { path: 'requests', title: 'API requests', group: 'Developers', icon: IconLogs, permissions: ['requests:read'], load: () => import('./logs/requests.tsx') },
  { path: 'logs', title: 'Audit and access', group: 'Developers', icon: IconAudit, permissions: ['logs:read'], load: () => import('./logs/logs.tsx') },
  { path: 'developers', title: 'Keys and sandbox', group: 'Developers', icon: IconDevelopers, permissions: ['team:read'], load: () => import('./developers/developers.tsx') },
  { path: 'reference', title: 'API reference', group: 'Developers', icon: IconReference, permissions: ['team:read'], load: () => import('./reference/reference.tsx') },
];
