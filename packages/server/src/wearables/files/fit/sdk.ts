import type * as sdk from '@garmin/fitsdk';

/** The FIT decoder. Its profile table is so large that loading takes about 170 ms. */
export type FitSdk = typeof sdk;

/** Loads the SDK on first use, not at startup. */
export const loadFitSdk = (): Promise<FitSdk> => import('@garmin/fitsdk');
