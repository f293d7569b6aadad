/** The entry point of the module: the log of who read or changed the data of a tenant. */
export { sealAccessLog, sealVerifier, startSealing } from './seal.ts';
export { openEntryIds } from './entry-ids.ts';
export { openAccessLogger } from './access-logger.ts';
export { removeOldLines } from './remove.ts';
