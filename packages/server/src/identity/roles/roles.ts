/** The entry point of the module: which member may call which operation. */
export { invalidateMemberAccess } from './member-access.ts';
export { listAccess, type AccessOverview } from './list-access.ts';
export { readMemberNames } from './member-names.ts';
export type { MemberAuthenticator } from './authenticate-member.ts';
export type { AssignableRole } from './role.ts';
export type { DirectoryRole, StoredRole } from './stored-role.ts';
