/** The tables of docs/user-data.md that are made of profiles and of the schema of a config. */
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { placeholderValues, render } from '../../userdata/render.ts';
import { sizeLimits } from '../../userdata/sizes.ts';
import { textOf } from './pages.ts';

/** By the heading that they stand below. */
export const tables: Readonly<Record<string, () => string>> = {
  Systems: systems,
  'Fields of a config': fields,
  Sizes: sizes,
};

const profiles = profileNames().flatMap((name) => builtInProfile(name) ?? []);

function systems(): string {
  const rows = profiles.map(({ name, operatingSystem: { title, outOfSupport = '' }, format }) =>
    [`\`${name}\``, title, format, outOfSupport].join(' | '),
  );
  const clouds = Object.groupBy(profiles, cloudsOf);
  return [
    '| profile | system | format | out of support since |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
    ...Object.entries(clouds).map(([names, of = []]) => `- ${listOf(of)}: ${names}.`),
  ].join('\n');
}

function cloudsOf({ providers }: Profile): string {
  const names = providers?.filter((one) => !ofTests.includes(one));
  return names ? names.map((one) => `\`${one}\``).join(', ') : 'every provider';
}

const listOf = (some: readonly Profile[]): string =>
  some.map(({ name }) => `\`${name}\``).join(', ');

/** Of the local stack. */
const ofTests = ['virtual', 'local'];

interface Schema {
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: string[];
}

/** What a value may be is said by its error; only lists of words stand here. */
function fields(): string {
  const schema: Schema = JSON.parse(textOf('userdata/config.schema.json'));
  return linesOf(schema, '').join('\n');
}

function linesOf({ properties = {}, required = [] }: Schema, path: string): string[] {
  return Object.entries(properties).flatMap(([key, field]) => {
    // The page says it once.
    if (field.description?.endsWith("Kubermatic's spelling.")) return [];
    const inner = field.items?.properties ? field.items : field;
    const place = `${path}${key}${inner === field ? '' : '[]'}`;
    const text = [...(required.includes(key) ? ['Required.'] : []), ...wordsOf(field)].join(' ');
    if (inner.properties) return [`- **${place}**: ${text}`, ...linesOf(inner, `${place}.`)];
    return [`- \`${place}\`: ${text}`];
  });
}

function wordsOf({ description = '', enum: words = [] }: Schema): string[] {
  const said = description
    .replace(/; Kubermatic's form .* is read too\./, '.')
    .replace(': docs/user-data.md', '');
  const others = words.filter((word) => !said.includes(`\`${word}\``));
  return [said, ...(others.length > 0 ? [`One of ${others.join(', ')}.`] : [])];
}

/** With nothing but what every config has; the CA is one as kubeadm makes them. */
function sizes(): string {
  const kubernetes = {
    version: '1.35.4',
    apiServer: 'https://api.example.com:6443',
    caBundle: textOf('test/docs/user-data/ca.crt'),
    clusterDNS: ['10.96.0.10'] as [string],
  };
  const values = {
    ...placeholderValues({ kubernetes }),
    machineName: 'pool-a-86b9f-rpz4r',
    bootstrapToken: 'x7k2q9.b4n8v1c6z3m5p0w2',
  };
  const rows = Object.entries(sizeLimits).map(([provider, { bytes, gzipBytes }]) => {
    const made = profiles
      .filter(({ providers }) => providers?.includes(provider) ?? true)
      .map((profile) => render({ profile, config: { kubernetes }, provider }, values))
      .map(({ text }) => Buffer.byteLength(text));
    const range = `${kibibytes(Math.min(...made))} to ${kibibytes(Math.max(...made))}`;
    const ofGzip = gzipBytes === undefined ? 'none' : kibibytes(gzipBytes);
    return [`\`${provider}\``, kibibytes(bytes), ofGzip, range].join(' | ');
  });
  return [
    '| `provider` | takes, in KiB | packed by gzip | of our profiles |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

const kibibytes = (bytes: number): string => String(Math.floor((bytes / 1024) * 10) / 10);
