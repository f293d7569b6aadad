/** What the page of the service says about itself; see dashboard/page.ts of the server. */
const metaOf = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';

/** The path below which the service is reached, such as `/health`; empty at the root of its host. */
export const PREFIX = metaOf('service-prefix');

/** The name in the headers of the API: `x-<brand>-team-id`. */
export const BRAND = metaOf('service-brand');

export const STYLE_NONCE = metaOf('style-nonce');
