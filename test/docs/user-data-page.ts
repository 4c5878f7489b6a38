/** The tables of docs/user-data.md that are made of profiles and of the schema of a config. */
import type { Profile } from '../../userdata/profile.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { textOf } from './pages.ts';

/** By the heading that they stand below. */
export const tables: Readonly<Record<string, () => string>> = {
  Systems: systems,
  'Fields of a config': fields,
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
  const said = description.replace(/ Kubermatic's form .* is read too\./, '');
  const others = words.filter((word) => !said.includes(`\`${word}\``));
  return [said, ...(others.length > 0 ? [`One of ${others.join(', ')}.`] : [])];
}
