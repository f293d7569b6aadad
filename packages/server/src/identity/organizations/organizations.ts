/** The entry point of the module. */
export {
  changeMember,
  deleteMember,
  findMemberByEmail,
  findMemberById,
  hasAdmin,
  insertMember,
  isOwner,
  IS_OWNER,
  listMembersByEmail,
  lockActiveMember,
  requireMemberOf,
  type OrgMemberRow,
} from './member-store.ts';
export { hasVerifiedDomain, listVerifiedDomains } from './domain-store.ts';
export { deleteInvite, findInviteByEmail } from './invite-store.ts';
export { createMember, makeOwner, mayChangeOwners, requireOwnerRights, toAuditView } from './members.ts';
export { acceptInviteOf } from './invites.ts';
export { requireTeams } from './team-bindings.ts';
export { DisplayName, LowerCaseEmail } from './schema.ts';
export { hasMailServer, sendMailNow } from './send-mail-now.ts';
