/**
 * Online rotation of the key that encrypts a tenant's private columns and files. Every process can decrypt with a new
 * key before any process encrypts with it. A kill at any point loses at most the batch in progress.
 */
export { dataKeyRoutes } from './routes.ts';
export { startDataKeyRotation } from './rotate.ts';
export { SEALED_COLUMNS } from './sealed-columns.ts';
