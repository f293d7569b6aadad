// The parts of the service that the bench uses, bundled as the service is. Run from sources, tsx would set the name of
// every function each time it is created, which takes a tenth of the CPU time of a push.

export { inTenant, readTenant } from '../../packages/server/src/app.ts';
export { createOrganization, createTeam } from '../../packages/server/src/identity/management/management.ts';
export { readConfig } from '../../packages/server/src/platform/config.ts';
export { openLog } from '../../packages/server/src/platform/log.ts';
export { openApp } from '../../packages/server/src/service.ts';
export { createUser } from '../../packages/server/src/users/users/users.ts';
export {
  compactSamples,
  putSamples,
  readSamples,
} from '../../packages/server/src/wearables/samples/samples.ts';
