import { z } from 'zod';
import { isLoopbackHost } from './loopback-host.ts';

/** What a URL may be that a browser is sent to, or that is shown as a link. */

export const LINK_URL_MAX = 2083;
const SCHEME_MAX = 64;
const SCHEMES_MAX = 20;

/**
 * Schemes that no team can register: they run code, read local content, open other programs with what the URL says, or
 * are those of web pages, which have rules of their own.
 */
// prettier-ignore
const RESERVED_SCHEMES = new Set([
  'http', 'https', 'javascript', 'data', 'vbscript', 'livescript', 'blob', 'file', 'filesystem', 'about', 'view-source',
  'intent', 'content', 'android-app', 'jar', 'mhtml', 'mk', 'res', 'resource', 'chrome', 'edge', 'shell', 'search',
  'search-ms', 'ws', 'wss', 'ftp', 'ftps', 'sftp', 'ssh', 'telnet', 'smb', 'ldap', 'ldaps', 'gopher', 'mailto', 'tel',
  'sms', 'cid', 'mid', 'urn', 'wyciwyg',
]);
/** Families of schemes: of browsers and their extensions, of the operating system. */
const RESERVED_PREFIX = /^(chrome-|moz-|ms-|safari-|x-apple|x-javascript|itms|web\+)/;

/** RFC 3986, section 3.1. Schemes are case-insensitive, and stored in lower case. */
const SCHEME = /^[a-z][a-z0-9+.-]*$/;

/** Whether a team can register the scheme, given in lower case without the colon, for its app. */
const isAppScheme = (scheme: string): boolean =>
  scheme.length <= SCHEME_MAX &&
  SCHEME.test(scheme) &&
  !RESERVED_SCHEMES.has(scheme) &&
  !RESERVED_PREFIX.test(scheme);

/** A list of the schemes of a team's apps. */
export const AppSchemes = z
  .array(
    z
      .string()
      .max(SCHEME_MAX)
      .toLowerCase()
      .refine(isAppScheme, 'expected the scheme of an app, as myapp or com.example.app'),
  )
  .max(SCHEMES_MAX)
  .transform((schemes) => [...new Set(schemes)]);

/**
 * Parses as browsers do (WHATWG), and refuses what browsers silently repair or hide: spaces and control characters,
 * backslashes, credentials, and a web address without the two slashes.
 */
function parseLinkUrl(text: string): URL | undefined {
  if (text.length > LINK_URL_MAX || /[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (isWeb && !/^https?:\/\/[^/?#]/i.test(text)) return undefined;
  const hasCredentials = /^[^:/?#]+:\/\/[^/?#]*@/.test(text) || url.username !== '' || url.password !== '';
  return hasCredentials ? undefined : url;
}

/** An https URL, or an http URL of the machine on which the browser runs. */
export function isWebUrl(text: string): boolean {
  const url = parseLinkUrl(text);
  if (url?.protocol === 'http:') return isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
  return url?.protocol === 'https:';
}

/** The scheme of an app's URL, such as `myapp` of `myapp://done`; undefined if no team can register it. */
export function appSchemeOf(text: string): string | undefined {
  const scheme = parseLinkUrl(text)?.protocol.slice(0, -1);
  return scheme !== undefined && isAppScheme(scheme) ? scheme : undefined;
}

/** A URL field that ends in a redirect or a link. */
export const WebUrl = z
  .url({ protocol: /^https?$/ })
  .min(1)
  .max(LINK_URL_MAX)
  .refine(isWebUrl, 'expected an https URL without credentials; http is allowed for loopback hosts only');
