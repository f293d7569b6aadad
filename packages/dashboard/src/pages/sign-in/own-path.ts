/** Only paths of the dashboard: another site must not be able to choose where a sign-in leads. */
export const isOwnPath = (path: string | undefined): path is string =>
  path !== undefined && /^\/(?!\/)[^\\]*$/.test(path) && !path.startsWith('/sign-in');
