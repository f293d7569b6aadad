// The schemas that other modules may import.
export * from './connection.ts';
