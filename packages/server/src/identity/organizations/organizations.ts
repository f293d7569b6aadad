/** The entry point of the module. */
export { findMemberById } from './member-store.ts';
