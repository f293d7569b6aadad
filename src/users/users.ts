// The people of a team: who they are, what is known of them, and how they go.
export { changeUser, createUser } from './create-user.ts';
export { deleteUser, GRACE_MS, undoDelete, userJobs } from './delete-user.ts';
export {
  demographicsOfPatient,
  findDemographics,
  latestDemographics,
  rememberDemographics,
} from './demographics.ts';
export { countUsers, findUser, findUserByEmail, findUsers, getUser, listUsers } from './find-users.ts';
export { userRoutes } from './routes.ts';
export { subjectOf, type User } from './user.ts';
