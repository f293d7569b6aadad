/** The entry point of the module. */
export {
  findMemberByEmail,
  findMemberById,
  hasAdmin,
  listMembersByEmail,
  lockActiveMember,
  requireMemberOf,
  type OrgMemberRow,
} from './member-store.ts';
export { listVerifiedDomains } from './domain-store.ts';
export { createMember, makeOwner, mayChangeOwners, requireOwnerRights } from './members.ts';
export { acceptInviteOf } from './invites.ts';
export { DisplayName, LowerCaseEmail } from './schema.ts';
export { hasMailServer, sendMailNow } from './send-mail-now.ts';
