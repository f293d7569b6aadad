import type { OperatorOperation } from './operation.ts';

/**
 * What commands of the operator do with the database. A command lets the running service do it, by the local socket, or
 * opens the database for it. Loaded on demand.
 */
export const OPERATIONS = {
  'accounts sign-in-url': async () => (await import('./accounts.ts')).printSignInUrl,
  'accounts remove-second-factor': async () => (await import('./accounts.ts')).removeSecondFactor,
  'audit verify': async () => (await import('./audit.ts')).verifyAudit,
  backup: async () => (await import('./backup.ts')).backUp,
  'backup restore-team': async () => (await import('./team-restore.ts')).restoreOneTeam,
  'backup release-team': async () => (await import('./team-restore.ts')).releaseOneTeam,
  'catalog import': async () => (await import('./import-file.ts')).importCatalogFile,
  'catalog pending': async () => (await import('./catalog.ts')).listPending,
  'catalog approve': async () => (await import('./catalog.ts')).approveLabTests,
  'places import': async () => (await import('./import-file.ts')).importSiteFile,
  'lab messages': async () => (await import('./lab.ts')).listMessages,
  'lab message': async () => (await import('./lab.ts')).printMessage,
  'lab claim': async () => (await import('./lab.ts')).claimLabMessage,
  'lab listeners': async () => (await import('./lab.ts')).listListeners,
  'lab share': async () => (await import('./lab.ts')).share,
  'lab unshare': async () => (await import('./lab.ts')).unshare,
  'lab free-port': async () => (await import('./lab.ts')).freePort,
  'wearables import': async () => (await import('./wearables.ts')).importWearables,
} as const satisfies Readonly<Record<string, () => Promise<OperatorOperation>>>;

export type OperationName = keyof typeof OPERATIONS;

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name);
