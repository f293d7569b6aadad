import type { Permission } from './permissions.ts';

/** The operations of the team API, by the permission that each needs; those of devices are in wearable-operations.ts. */
// prettier-ignore
export const TEAM_OPERATIONS: Partial<Record<Permission, string>> = {
  'catalog:read': `
    listLabTests pageLabTests getLabTest getLabTestHistory listOrderSetMarkers listMarkers listMarkersOfLabTest getMarkerOfLab listLabs
    searchCompendium convertCompendium listLabAccounts getLabTestCollectionInstructionPdf listSimulationScenarios
    searchPayors searchPayorsByBody searchDiagnoses validateIcdCodes listProviders getPscInfo getAreaInfo
    listPhlebotomyCancellationReasons listPscCancellationReasons`,
  'catalog:write': 'createLabTest changeLabTest createPayor',
  'users:read':
    'listUsers listUserNames getUser resolveUser getUserInfo searchUsers getLatestInsurance getUserOverview',
  'users:write': 'createUser changeUser deleteUser undoDeleteUser setUserInfo createInsurance',
  'tokens:read': 'listUserTokens',
  'tokens:revoke': 'revokeUserTokens revokeUserToken revokeUserApps',
  'users:impersonate': 'createSignInToken createLinkCode',
  'orders:read': `
    getOrder listOrders listOrdersUnversioned exportOrders getOrderCommunicationSettings getPhlebotomyAppointment getPscAppointment
    listAppointments     getPscInfoOfOrder getOrderTransaction getRequisitionPdf getLabelsPdf getAbnPdf getOrderCollectionInstructionPdf`,
  'orders:write': `
    createOrder createOrderAtCreate cancelOrder createTestkitOrder registerTestkit updateOrder completeDraw importOrder
    setOrderCommunicationSettings simulateOrder
    getPhlebotomyAvailability bookPhlebotomyAppointment reschedulePhlebotomyAppointment requestPhlebotomyAppointment
    createBookingUrl cancelPhlebotomyAppointment getPscAvailability bookPscAppointment reschedulePscAppointment cancelPscAppointment`,
  'results:read': `
    getResult getResultMetadata getResultFhir getResultPdf listResultDocuments getResultDocument
    getOrderTransactionResult getOrderTransactionResultPdf
    listCriticalResults getCriticalResult listCriticalResultsOfOrder listUnmatchedResults getUnmatchedResult
    listLabReportsInReview getLabReportParserJob getLabReportReview getLabReportPage getLabReportPageImage
    searchLoinc listUserResults listUserMarkers listUserLabReports`,
  'results:decide': `
    recordCriticalResultNotification recordCriticalResultReadBack acceptUnmatchedResult resolveUnmatchedResult
    createLabReportParserJob reviewLabReportParserJob createResultUrl`,
  'team:read': `
    getOwnTeam getOwnCredential listPhysicians getSourcePriorities getUserMetrics getWebhookPage getOverview getOverviewTrends
    streamEvents search getBrandLogo getBrandLogoImage previewBrand`,
  'organization:write': 'uploadBrandLogo deleteBrandLogo',
  'team:write': 'changeSourcePriorities',
  'own-views:write': 'listSavedViews createSavedView changeSavedView deleteSavedView',
  'requests:read': 'listRequests getRequest',
  'delivery:retry': 'resendOrderEvents',
  'delivery:read': 'listTeamWebhooks listTeamWebhookAttempts',
  'messages:read': 'listTeamEvents',
};
