import type { Permission } from './permissions.ts';

/** The operations of the Management API, by the permission that each needs. */
// prettier-ignore
export const MANAGEMENT_OPERATIONS: Partial<Record<Permission, string>> = {
  'organization:read': 'getOrganization listTeams getTeam resolveTeam',
  'organization:write': 'changeOrganization createTeam changeTeam',
  'catalog:import': 'importCatalog',
  'organization:delete': 'deleteTeam',
  'keys:read': 'listTeamKeys',
  'keys:create': 'createTeamKey rotateTeamKey createAccessToken',
  'keys:revoke': 'deleteTeamKeys',
  'tokens:read': 'listTokens',
  'tokens:revoke': 'revokeTokens revokeToken',
  'management-keys:read': 'listManagementKeys',
  'management-keys:write': 'createManagementKey changeManagementKey rotateManagementKey',
  'management-keys:revoke': 'deleteManagementKey',
  'members:read': 'listMembers getMember listInvites listMemberSessions getMemberSecondFactor',
  'members:write': 'changeMember removeMember createInvite withdrawInvite removeMemberSecondFactor',
  'sign-in:read': 'getSignInPolicy listSsoConnections getSsoConnection',
  'sign-in:write': `
    changeSignInPolicy createSsoConnection changeSsoConnection deleteSsoConnection removeMemberSsoIdentity`,
  'sessions:revoke': 'revokeMemberSession',
  'directory:read': 'listDirectoryTokens listDirectoryGroups',
  'directory:write': 'createDirectoryToken deleteDirectoryToken setDirectoryGroupRoles',
  'domains:read': 'listDomains getDomain',
  'domains:write': 'addDomain removeDomain verifyDomain sendDomainInstructions',
  'logs:read': 'listAuditLog listAccessLog',
  'break-glass:read': 'listBreakGlass',
  'break-glass:open': 'openBreakGlass',
  'break-glass:end': 'endBreakGlass',
  'sandbox-clock:read': 'getSandboxClock',
  'sandbox-clock:write': 'moveSandboxClock',
  'settings:read': `
    listOrgLabAccounts listCustomCredentials listDataPullPreferences getScopeRequirements getEhrConfiguration
    listEhrPipelines listTeamPipelines listContinuousQueries getWebhookHeaders`,
  'settings:write': `
    setDataPullPreferences deleteDataPullPreferences setScopeRequirements createContinuousQuery validateContinuousQuery
    updateContinuousQuery archiveContinuousQuery`,
  'egress:write': `
    createWebhook changeWebhook deleteWebhook replaceWebhookHeaders createWebhookInbox changeWebhookInbox
    setTeamPipelines deleteTeamPipelines
    setEhrPipelines deleteEhrPipelines setEhrConfiguration createLabConnection changeLabConnection deleteLabConnection
    restoreLabConnection
    rotateLabConnectionToken changeLabAccountAllowlist prepareCustomCredentials setCustomCredentials
    deleteCustomCredentials`,
  'webhook-secrets:read': 'getWebhookSecret rotateWebhookSecret',
  'delivery:read': `
    listWebhooks getWebhook listWebhookAttempts getWebhookInbox listReceivedWebhooks getEventDeliveryMetric getWebhookStatistics getPipelineHealth listLabConnections
    getLabConnection listLabConnectionHealth`,
  'delivery:retry': `
    testWebhook resendWebhookMessage recoverWebhookMessages replayMissingWebhookMessages retryLabMessage
    simulateLabMessage`,
  'lab-messages:read': 'listLabMessages',
  'messages:read': 'listEvents getWebhookAttempt getReceivedWebhook getLabMessage',
  'ehr-members:read': 'listEhrMembers getEhrMember resolveEhrMember',
  'ehr-members:write': 'createEhrMember changeEhrMember deleteEhrMember createDashboardUrl readDashboardSession',
  'retention:read': 'getRetention listRetentionSweeps getErasureCertificate',
  'retention:write': 'changeRetention',
  'users:export': 'exportUser',
  'data-keys:read': 'getDataKey',
  'data-keys:write': 'rotateDataKey',
};
