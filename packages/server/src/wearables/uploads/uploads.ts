import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Loop } from '../../platform/jobs/loop.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { startFileCleaner } from './files.ts';
import { startUploadReader } from './read-uploads.ts';
import { findTenantOfUser } from './store.ts';

// Uploaded wearable files, stored encrypted until a worker has read them.
export { wearableFileRoutes } from './routes.ts';
export { WEARABLE_FILES } from './files.ts';

/** Starts the background loops: the upload reader, and the cleanup of unattached files. */
export const startUploadWorkers = (app: App): Loop[] => [startUploadReader(app), startFileCleaner(app)];

/** The tenant of a user, for operator commands that name only the user; undefined if there is no such user. */
export const loadTenantOfUser = (app: App, userId: string): Promise<Tenant | undefined> =>
  asSystem(app.db, (tx) => findTenantOfUser(tx, userId));
