import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Loop } from '../../platform/jobs/loop.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { startFileCleaner } from './files.ts';
import { startUploadReader } from './read-uploads.ts';
import { tenantOf } from './store.ts';

// Files of wearables that somebody hands in: kept sealed until a worker has read them.
export { wearableFileRoutes } from './routes.ts';
export { WEARABLE_FILES } from './files.ts';

/** What a worker does for them all the time: reads them, and removes files that belong to nothing. */
export const startWearableFiles = (app: App): Loop[] => [startUploadReader(app), startFileCleaner(app)];

/** Whose user this is, for the operator who names nothing but the user; undefined for one who is not there. */
export const tenantOfUser = (app: App, userId: string): Promise<Tenant | undefined> =>
  asSystem(app.db, (tx) => tenantOf(tx, userId));
