import type packaged from '@easypost/api';

// The package declares its types as if it were CommonJS and is loaded as a module: what is declared under `default`
// is the import itself.
type Declared = typeof packaged.default;
export type EasyPostClient = InstanceType<Declared>;

/** Loads the package when it is first needed: a service without EasyPost starts without it. */
export async function openEasyPost(
  apiKey: string,
  options: { baseUrl: string; timeout: number },
): Promise<EasyPostClient> {
  const { default: Client } = (await import('@easypost/api')) as unknown as { default: Declared };
  return new Client(apiKey, options);
}
