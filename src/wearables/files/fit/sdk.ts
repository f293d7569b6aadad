import type * as sdk from '@garmin/fitsdk';

/** What decodes FIT files: most of it is the profile, a table so large that loading it takes a sixth of a second. */
export type FitSdk = typeof sdk;

/** Loaded with the first FIT file and not at every start. */
export const fitSdk = (): Promise<FitSdk> => import('@garmin/fitsdk');
