// Other slices enter this one here.
export * from './connection.ts';
export * from './device.ts';
export * from './source.ts';
