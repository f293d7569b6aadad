import { z } from 'zod';
import { EVENT_STREAM_TYPE } from './event-output.ts';

/**
 * A file as a response. The handler reads the data in the transaction; the file is rendered after it, so that no
 * database connection waits for the rendering.
 */
export interface FileResponse {
  /** File name with its extension: letters, digits, dots and dashes. */
  readonly name: string;
  readonly render: () => Promise<Uint8Array>;
  /** The media type of this file, if the route serves several. */
  readonly mediaType?: string;
  /** Whether it was made by others: then it is saved, never shown by the browser in the name of the service. */
  readonly isAttachment?: true;
}

/**
 * A text file of any length as a response. `stream` runs after the transaction of the handler, and opens its own. An
 * error before the first chunk becomes a normal error response; a later one aborts the response.
 */
export interface StreamedFile {
  readonly name: string;
  readonly stream: () => AsyncIterable<string>;
}

const mediaTypes = new WeakMap<z.ZodType, string>();

/** The schema of a PDF response: `response: { 200: pdf() }`. Only a GET route can have it as its only response. */
export const pdf = (): z.ZodType<FileResponse, FileResponse> => fileSchema('application/pdf');

/** The schema of a FHIR resource response. */
export const fhirJson = (): z.ZodType<FileResponse, FileResponse> => fileSchema('application/fhir+json');

/** The schema of an iCalendar response (`text/calendar`). */
export const calendar = (): z.ZodType<FileResponse, FileResponse> => fileSchema('text/calendar');

/** The schema of a PNG response. */
export const png = (): z.ZodType<FileResponse, FileResponse> => fileSchema('image/png');

/** The schema of an NDJSON response, which a management route streams. */
export const ndjson = (): z.ZodType<FileResponse, FileResponse> => fileSchema('application/x-ndjson');

/** The schema of server-sent events, which a team route streams. */
export const eventStream = (): z.ZodType<FileResponse, FileResponse> => fileSchema(EVENT_STREAM_TYPE);

/** The schema of a CSV response, which is streamed. */
export const csv = (): z.ZodType<StreamedFile, StreamedFile> => fileSchema('text/csv');

/** The schema of an Apache Parquet response. */
export const parquet = (): z.ZodType<FileResponse, FileResponse> =>
  fileSchema('application/vnd.apache.parquet');

/** The schema of several Parquet files in a gzip-compressed tar archive. */
export const parquetArchive = (): z.ZodType<FileResponse, FileResponse> =>
  fileSchema('application/vnd.vital.tar+gzip+parquet');

/** The schema of a file whose media type differs. */
export const download = (): z.ZodType<FileResponse, FileResponse> => fileSchema('application/octet-stream');

function fileSchema<T = FileResponse>(mediaType: string): z.ZodType<T, T> {
  const schema = z.custom<T>();
  mediaTypes.set(schema, mediaType);
  return schema;
}

/** The media type of a file schema; undefined for a JSON schema. */
export const fileTypeOf = (schema: z.ZodType | null | undefined): string | undefined =>
  schema ? mediaTypes.get(schema) : undefined;
