export { attachReport, historyOf, type Attached } from './attach-report.ts';
export { hasUndecided, listBroughtOf, type Brought } from './brought-store.ts';
export type { Hindrance, StoredCandidate } from './candidate.ts';
export { isSampleTaken } from './named-store.ts';
export { listSteps } from './order-store.ts';
export { hindranceOf } from './steps.ts';
export { findReview, listReviews, markDecided, type Incoming, type ReviewPage } from './store.ts';
export { takeReport, type Taken } from './take-report.ts';
