// The schemas that other modules may import.
export * from './connection.ts';
export * from './device.ts';
export * from './source.ts';
