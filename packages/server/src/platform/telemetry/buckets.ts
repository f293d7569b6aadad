/** Upper bounds of the buckets of durations, in seconds: those that OpenTelemetry recommends for HTTP requests. */
export const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The same for work that nobody waits for, which may take minutes. */
export const BACKGROUND_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800];
