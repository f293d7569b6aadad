/**
 * Data keys: the exchange of the key that a tenant's private columns and files are sealed with, while the service runs.
 * A new key opens everywhere before it seals anywhere; a kill at any line loses at most the stretch under way.
 */
export { dataKeyRoutes } from './routes.ts';
export { startKeyRotation } from './rotate.ts';
