/** Of the packages that a bundle contains. An installer sees only the others, so `npm sbom` does not list these. */
export const BUNDLED_SBOM = 'bundled.cdx.json';

/**
 * A bill of materials in the CycloneDX format (https://cyclonedx.org/specification/overview/), as JSON.
 *
 * @param {readonly { name: string, version: string, license?: string }[]} packages
 * @param {{ name: string, version: string }} bundle What contains them.
 * @returns {string}
 */
export function describeMaterials(packages, bundle) {
  const unique = new Map(packages.map((one) => [purlOf(one), one]));
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...toComponent(bundle), type: 'application' } },
    components: [...unique.values()].map(toComponent),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const toComponent = ({ name, version, license }) => ({
  'bom-ref': purlOf({ name, version }),
  type: 'library',
  name,
  version,
  purl: purlOf({ name, version }),
  ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
});

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
