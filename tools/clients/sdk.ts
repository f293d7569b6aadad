/** A value that can be sent as JSON to the process of an SDK. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A call of a method: positional arguments, then those by name, as far as the language of the SDK has them. */
export interface SdkCall {
  /** The path of the method on the client, as `labTests.getMarkers`. */
  readonly method: string;
  readonly positional: readonly Json[];
  readonly named: Readonly<Record<string, Json>>;
}

export type SdkOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** A client library of the interface, loaded unchanged. */
export interface Sdk {
  readonly name: string;
  readonly version: string;
  /** Whether names of fields are written in camel case. */
  readonly isCamelCase: boolean;
  /** All methods that the client has. */
  readonly methods: readonly string[];
  /** The example of each method in the reference of the SDK. */
  readonly examples: readonly SdkCall[];
  /** Calls a method of a client of this service. */
  call(baseUrl: string, call: SdkCall): Promise<SdkOutcome>;
  close(): Promise<void>;
}

/** What an SDK is called with. */
export interface SdkKey {
  readonly apiKey: string;
}

const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ' +
  '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]>>endobj\ntrailer<</Root 1 0 R>>\n';

/** Stands for a file in the arguments of a call. */
export const FILE = { $file: PDF };
