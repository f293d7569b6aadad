// Writes sbom.cdx.json (CycloneDX): the packages that are installed here, and those that the service was bundled from.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const installed = JSON.parse(execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], { encoding: 'utf8' }));
const bundled = JSON.parse(readFileSync('node_modules/aliquot/bundled.cdx.json', 'utf8'));
const known = new Set(installed.components.map(({ purl }) => purl));
const components = [...installed.components, ...bundled.components.filter(({ purl }) => !known.has(purl))];
writeFileSync('sbom.cdx.json', `${JSON.stringify({ ...installed, components }, null, 2)}\n`);
process.stdout.write(`sbom.cdx.json: ${components.length} components\n`);
