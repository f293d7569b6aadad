/** The entry point of the module, for other modules and the CLI. */
export {
  authorizeChange,
  runAuditedChange,
  type TenantChangeContext,
  type TenantAuthorizer,
} from './audited-change.ts';
export {
  writeAuditEntry,
  writeAuditEntries,
  actorOf,
  MEMBER_ACTOR,
  SERVICE_ACTOR,
  type AuditActor,
  type ManagementCaller,
} from './audit.ts';
export {
  verifyAuditLog,
  type AuditAnchor,
  type AuditChainReport,
  type AccessLogSeal,
  type SealVerifier,
} from './audit-chain.ts';
export { findPrivileges, requirePrivileges } from './actor-store.ts';
export { bootstrap, credentialsFile, type BootstrapCredentials } from './bootstrap.ts';
export {
  createFailedAuthenticationLimiter,
  type FailedAuthenticationLimiter,
} from './failed-authentication-limiter.ts';
export { Creator, TeamBinding } from './key-schema.ts';
export { createManagementKey } from './management-keys.ts';
export { createOrganization } from './organizations.ts';
export {
  lockExistingTeam,
  resolveListedTeams,
  resolveNamedTeams,
  requireOrganization,
  requireOrgKey,
  requireRegion,
  authorizeList,
  authorizeTeam,
  createTenantAuthorizer,
  createTenantAuthorizerWithDeleted,
} from './scope.ts';
export { lockOrganization } from './store.ts';
export { countTeams, findTeamByIntegrationId, getTeam } from './team-store.ts';
export { listRedirectSchemes } from './redirect-schemes.ts';
export { listServicePhysicians } from './physicians.ts';
export { contrast, readBrand, toBrand, type Brand } from './brand.ts';
export { BrandInformation, readTeamSettings, TeamSettings } from './settings.ts';
export { keyJobs } from './key-lifecycle.ts';
export { createTeamKey, listExpiringKeys } from './team-keys.ts';
export { createTeam } from './teams.ts';
export { startKeyUseRecorder } from './authenticate.ts';
export { requirePermission, type KeyPermissions } from './api-areas.ts';
export { invalidKeyError } from './failed-authentication-limiter.ts';
export {
  findWorkingToken,
  issuerOf,
  issueUserToken,
  registerToken,
  revokeTokens,
  systemNowOf,
  type TokenIssuer,
} from './issued-tokens.ts';
export { TOKEN_KINDS } from './token-kinds.ts';
export { IssuedTokenList, RevokedTokensView, listTokensInWork } from './token-schema.ts';
