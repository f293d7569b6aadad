// How long the data of a team are kept, and their deletion by age.
export { retentionRoutes } from './routes.ts';
export { startRetention, sweepTenant, type Removers } from './sweep.ts';
