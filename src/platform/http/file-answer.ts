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

/** The schema of an answer that is a file: `response: { 200: pdf() }`. Only a GET route can have it alone. */
export const pdf = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('application/pdf');

/** The schema of an answer that is a FHIR resource. */
export const fhirJson = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('application/fhir+json');

/** The same for a calendar, as `text/calendar`. */
export const calendar = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('text/calendar');

/** The same for a picture. */
export const png = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('image/png');

/** Lines of JSON, which a management route streams. */
export const ndjson = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('application/x-ndjson');

/** A table as an Apache Parquet file. */
export const parquet = (): z.ZodType<FileAnswer, FileAnswer> => fileOf('application/vnd.apache.parquet');

/** Several of them, in a compressed tar archive. */
export const parquetArchive = (): z.ZodType<FileAnswer, FileAnswer> =>
  fileOf('application/vnd.vital.tar+gzip+parquet');

function fileOf(mediaType: string): z.ZodType<FileAnswer, FileAnswer> {
  const schema = z.custom<FileAnswer>();
  mediaTypes.set(schema, mediaType);
  return schema;
}

/** The media type of a file; undefined for what is answered as JSON. */
export const fileTypeOf = (schema: z.ZodType | null | undefined): string | undefined =>
  schema ? mediaTypes.get(schema) : undefined;
