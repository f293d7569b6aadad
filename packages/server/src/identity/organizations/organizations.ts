/** The entry point of the module. */
export {
  findMemberByEmail,
  findMemberById,
  hasAdmin,
  listMembersByEmail,
  requireMemberOf,
  type OrgMemberRow,
} from './member-store.ts';
export { makeOwner, mayChangeOwners, requireOwnerRights } from './members.ts';
export { DisplayName, LowerCaseEmail } from './schema.ts';
export { hasMailServer, sendMailNow } from './send-mail-now.ts';
