// The users of a team: creation, demographics, lookup, deletion.
export { changeUser, createUser } from './create-user.ts';
export { deleteUser, GRACE_MS, undoDelete, userJobs } from './delete-user.ts';
export { toDemographics, findDemographics, getDemographics, saveDemographics } from './demographics.ts';
export { countUsers, findUser, findUserByEmail, findUsers, getUser, listUsers } from './find-users.ts';
export { userRoutes } from './routes.ts';
export { subjectOf, type User } from './user.ts';
