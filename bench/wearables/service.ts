// The parts of the service that the bench uses, bundled as the service is. Run from sources, tsx would set the name of
// every function each time it is created, which takes a tenth of the CPU time of a push.

export { inTenant, readTenant } from '../../src/app.ts';
export { createOrganization, createTeam } from '../../src/management/management.ts';
export { readConfig } from '../../src/platform/config.ts';
export { openLog } from '../../src/platform/log.ts';
export { openApp } from '../../src/service.ts';
export { createUser } from '../../src/users/users.ts';
export { compactSamples, putSamples, readSamples } from '../../src/wearables/samples/samples.ts';
