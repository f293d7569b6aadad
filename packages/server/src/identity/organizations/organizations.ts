/** The entry point of the module. */
export { findMemberByEmail, findMemberById, listMembersByEmail, type OrgMemberRow } from './member-store.ts';
