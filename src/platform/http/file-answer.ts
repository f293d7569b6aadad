import { z } from 'zod';

/**
 * A file as an answer. Its handler reads in the transaction what the file says; it is drawn when the transaction is
 * over, so that no connection waits for the drawing.
 */
export interface FileAnswer {
  /** What it is saved as, with its ending: letters, digits, dots and dashes. */
  readonly name: string;
  readonly draw: () => Promise<Uint8Array>;
}

const mediaTypes = new WeakMap<z.ZodType, string>();

/** The schema of an answer that is a file: `response: { 200: pdf() }`. Only a GET route can have it. */
export const pdf = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('application/pdf');

function fileOf(mediaType: string): z.ZodType<FileAnswer, FileAnswer> {
  const schema = z.custom<FileAnswer>();
  mediaTypes.set(schema, mediaType);
  return schema;
}

/** The media type of a file; undefined for what is answered as JSON. */
export const fileTypeOf = (schema: z.ZodType | null | undefined): string | undefined =>
  schema ? mediaTypes.get(schema) : undefined;
