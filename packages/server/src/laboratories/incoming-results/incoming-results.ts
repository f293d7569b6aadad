export { attachReport, readReportHistory } from './attach-report.ts';
export { hasUndecidedReport, listMessageReportsOfUser } from './message-report-store.ts';
export type { StoredMatchCandidate } from './match-candidate.ts';
export { isSampleIdAssigned } from './named-order-store.ts';
export { listOrderSteps } from './order-store.ts';
export { findHindrance } from './steps.ts';
export {
  findReview,
  countReviews,
  listReviews,
  recordReviewDecision,
  type IncomingResult,
  type ReviewPageOptions,
} from './store.ts';
export { receiveReport, type ReportReceipt } from './receive-report.ts';
