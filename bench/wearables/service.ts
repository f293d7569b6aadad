// What the bench takes of the service. It is bundled as the service is: run from its sources every function would be
// given its name anew whenever it is made, which takes a tenth of what a push takes of this process.

export { inTenant, readTenant } from '../../src/app.ts';
export { createOrganization, createTeam } from '../../src/management/management.ts';
export { readConfig } from '../../src/platform/config.ts';
export { openLog } from '../../src/platform/log.ts';
export { openApp } from '../../src/service.ts';
export { createUser } from '../../src/users/users.ts';
export { foldSamples, putSamples, readSamples } from '../../src/wearables/samples/samples.ts';
