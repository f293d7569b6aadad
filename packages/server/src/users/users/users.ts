// The users of a team: creation, demographics, lookup, deletion.
export { createUser } from './create-user.ts';
export { GRACE_MS, userJobs } from './delete-user.ts';
export { findDemographics, findNames, saveDemographics } from './demographics.ts';
export { findUser, findUserByEmail, findUsers, getUser } from './find-users.ts';
export { userRoutes } from './routes.ts';
export { subjectOf, type User } from './user.ts';
