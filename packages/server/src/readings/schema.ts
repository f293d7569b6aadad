// The schemas that other modules may import.
export * from './device.ts';
export * from './source.ts';
