/**
 * Whether V8 is slow with object literals that begin with a spread, so that the bundle is rewritten: before Node 22.
 * From there on the rewritten form is the slower one (decision 0012).
 */
export const IS_SPREAD_FIRST_SLOW = Number(process.versions.node.split('.')[0]) < 22;
