/** The entry point of the module: the log of who read or changed the data of a tenant. */
export { sealAccessLog, sealVerifier, startSealing } from './seal.ts';
export { openAccessLogger } from './access-logger.ts';
export { removeOldLines } from './remove.ts';
