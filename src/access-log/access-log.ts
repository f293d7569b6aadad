/** The door of the slice: who saw or changed what of a tenant. */
export { checkSeal, openSealer, startSealing } from './seal.ts';
export { openWitness } from './witness.ts';
