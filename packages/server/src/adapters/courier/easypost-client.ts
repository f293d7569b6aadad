import type packaged from '@easypost/api';

// The package's types describe a CommonJS module, but it is loaded as an ES module: the type under `default` is the
// import itself.
type EasyPostClientClass = typeof packaged.default;
export type EasyPostClient = InstanceType<EasyPostClientClass>;

/** Loads the package on first use, so that services without EasyPost never load it. */
export async function createEasyPostClient(
  apiKey: string,
  options: { baseUrl: string; timeout: number },
): Promise<EasyPostClient> {
  const { default: Client } = (await import('@easypost/api')) as unknown as { default: EasyPostClientClass };
  return new Client(apiKey, options);
}
