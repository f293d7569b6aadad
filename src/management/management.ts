/** The door of the slice: what other slices and the commands ask of it. */
export { audit, authorOf, type Author, type Caller, type Deed } from './audit.ts';
export { bootstrap, type Credentials } from './bootstrap.ts';
export { createManagementKey, type NewManagementKey } from './management-keys.ts';
export { createOrganization } from './organizations.ts';
export {
  requireOrganization,
  requireOrgKey,
  requireRegion,
  scopedList,
  scopedTeam,
  scopedTenant,
} from './scope.ts';
export { teamSettings, TeamSettings } from './settings.ts';
export { createTeamKey } from './team-keys.ts';
export { createTeam, type NewTeam } from './teams.ts';
export { startKeyUse } from './gate.ts';
