/** Bundles the service and its command line into a folder, `dist` when none is named. */
export declare function bundle(outdir?: string): Promise<unknown>;
