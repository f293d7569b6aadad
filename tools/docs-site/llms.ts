import type { NavigationItem } from './navigation.ts';
import { titleOf, type SitePage } from './pages.ts';

interface Listing {
  readonly navigation: readonly NavigationItem[];
  readonly pages: readonly SitePage[];
  readonly base: string;
}

/** The list of all pages as Markdown, in the form of llmstxt.org: title, summary, sections of links. */
export function printLlmsIndex({ navigation, pages, base }: Listing): string {
  const listed = navigation.map((group) => ({ name: group.text, links: linksOf(group) }));
  const known = new Set(listed.flatMap(({ links }) => links.map(({ link }) => link)));
  const others = pages
    .filter(({ path }) => !known.has(`/${path}`) && path !== 'index.md')
    .map((page) => ({ text: titleOf(page), link: `/${page.path}` }));
  const sections = [...listed, { name: 'Optional', links: others }]
    .filter(({ links }) => links.length > 0)
    .map(({ name, links }) => `## ${name}\n\n${links.map((one) => line(base, one)).join('\n')}`);
  return [
    '# Aliquot',
    '> An open, self-hosted service for lab testing, users and wearable events: an HTTP/JSON API with signed webhooks, a dashboard and a command line.',
    `Every page is Markdown at its address with \`.md\` instead of \`.html\`. The OpenAPI document is at ${base}reference/openapi.json.`,
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

interface Link {
  readonly text: string;
  readonly link: string;
}

const linksOf = ({ text, link, items = [] }: NavigationItem): readonly Link[] => [
  ...(link === undefined ? [] : [{ text, link }]),
  ...items.flatMap(linksOf),
];

const line = (base: string, { text, link }: Link): string => `- [${text}](${base}${link.slice(1)})`;
