/** The door of the slice: what other slices and the commands ask of it. */
export { actingOf, audited, type Acting, type ScopedTenant } from './acting.ts';
export { audit, auditAll, authorOf, theService, type Author, type Caller, type Deed } from './audit.ts';
export { verifyAuditLog, type Anchor, type ChainReport, type SealedStretch } from './audit-chain.ts';
export { bootstrap, type Credentials } from './bootstrap.ts';
export { Creator, TeamBinding } from './key-schema.ts';
export { createManagementKey, type NewManagementKey } from './management-keys.ts';
export { createOrganization } from './organizations.ts';
export { pageOf, readCursor } from './page.ts';
export {
  holdTeam,
  listedTeams,
  namedTeams,
  requireOrganization,
  requireOrgKey,
  requireRegion,
  scopedList,
  scopedTeam,
  scopedTenant,
  scopedTenantEver,
} from './scope.ts';
export { lockOrganization } from './store.ts';
export { countTeams, findByIntegration, isTeamThere } from './team-store.ts';
export { teamSettings, TeamSettings } from './settings.ts';
export { keyJobs } from './key-life.ts';
export { createTeamKey } from './team-keys.ts';
export { createTeam, type NewTeam } from './teams.ts';
export { startKeyUse } from './gate.ts';
