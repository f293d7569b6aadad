import { createHash } from 'node:crypto';
import { html, rawHtml } from './html.ts';
import { STYLE } from './style.ts';

/** What the page at / says of this service. */
interface ServiceAddress {
  /** The public URL without a slash at its end. */
  readonly url: string;
  /** The path below which browsers reach the service: the page's links keep the host by which it was opened. */
  readonly prefix: string;
  /** The header of the team key. */
  readonly keyHeader: string;
  /** The version of this program, not of the API. */
  readonly version: string;
}

const OWN_STYLE = `${STYLE}
body { display: block; }
main { margin: 0 auto; }
main h2 { margin: 3rem 0 .5rem; }
main pre { padding: .8rem 1rem; overflow-x: auto; background: var(--sunk); border: 1px solid var(--line); border-radius: 6px; }
main li { margin: .5rem 0; }
`;

/** The page allows its own style sheet and nothing else: no script, font, image or request. */
export const startPagePolicy = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(OWN_STYLE).digest('base64')}'`,
  `img-src data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

/** The links that a program gets at / in place of the page. */
export const startDocument = ({ url, keyHeader, version }: Omit<ServiceAddress, 'prefix'>) => ({
  name: 'Aliquot',
  version,
  key_header: keyHeader,
  dashboard: `${url}/dashboard`,
  reference: `${url}/reference`,
  openapi: `${url}/openapi.json`,
  asyncapi: `${url}/asyncapi.json`,
});

/** What a browser gets at /: what this is, where to go, and the two commands to go on with. */
export function renderStartPage({ url, prefix, keyHeader, version }: ServiceAddress): string {
  const request = `curl ${url}/v3/lab_tests -H "${keyHeader}: $TEAM_KEY"`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>Aliquot</title>
        <link rel="icon" href="data:," />
        ${rawHtml(`<style>${OWN_STYLE}</style>`)}
      </head>
      <body>
        <main>
          <h1>Aliquot ${version}</h1>
          <p>
            An API for lab tests, users and wearable data, with signed webhooks, that you host yourself. This
            service is running.
          </p>
          <ul>
            <li>
              <a href="${prefix}/dashboard">Dashboard</a>: see what goes on, decide what needs a person, try
              everything in the sandbox. The first start stores the link for the first member as
              <code>sign-in-url.txt</code> in the data folder.
            </li>
            <li>
              <a href="${prefix}/reference">API reference</a>: every operation with an example. For tools:
              <a href="${prefix}/openapi.json">openapi.json</a> and
              <a href="${prefix}/asyncapi.json">asyncapi.json</a>.
            </li>
          </ul>
          <h2>Go on</h2>
          <p>Fill the sandbox with a clinic of 200 people, their orders and results:</p>
          <pre><code>npx aliquot demo</code></pre>
          <p>
            Ask for the lab tests that can be ordered. <code>TEAM_KEY</code> is the sandbox key of the team,
            which the first start stores as <code>credentials.json</code> in the data folder:
          </p>
          <pre><code>${request}</code></pre>
        </main>
      </body>
    </html> `.markup;
}
