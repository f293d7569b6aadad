/** Programs that the service runs in threads and processes of their own, and their sources. */
export declare const PROGRAMS: Readonly<Record<string, string>>;
