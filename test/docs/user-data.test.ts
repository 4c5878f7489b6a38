/**
 * docs/user-data.md: its tables are those of profiles and schema (`UPDATE_GOLDEN=1` writes them),
 * and its examples are taken by what reads them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { repository } from '../../deploy/local/layout.ts';
import { readConfig, readProfile } from '../../userdata/documents.ts';
import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import { placeholderValues, poolFaults, render } from '../../userdata/render.ts';
import { fitted } from '../../userdata/sizes.ts';
import { annotations } from '../../workflows/api/constants.ts';
import { userDataSourceOf } from '../../workflows/api/user-data.ts';
import { merge } from '../support/api-server/merge-patch.ts';
import { withAuthority } from '../support/example-authority.ts';
import { readSource, sourcesIn } from '../layering/sources.ts';
import { textOf } from './pages.ts';
import { tables } from './user-data-page.ts';

const name = 'docs/user-data.md';
const filepath = join(repository, name);
const page = withAuthority(textOf(name));
const blocks = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = '']) => text);

test.each(Object.entries(tables))('%s: as profiles and schema have it', async (heading, made) => {
  const text = await readFile(filepath, 'utf8');
  // From the first line of the table or list to the next heading.
  const place = new RegExp(`(\n## ${heading}\n(?:(?!\\||- |#).*\n)*)(?:(?!#).*\n)+`);
  expect(text).toMatch(place);
  const whole = text.replace(place, (_all, head: string) => `${head}${made()}\n\n`);
  const wanted = await format(whole, { ...(await resolveConfig(filepath)), filepath });
  if (process.env['UPDATE_GOLDEN'] === '1') await writeFile(filepath, wanted);
  expect(await readFile(filepath, 'utf8')).toBe(wanted);
});

describe('the first example', () => {
  const [machineClass, configMap] = parseAllDocuments(blocks[0] ?? '').map((one) => one.toJS());

  test('is within the first lines of the page', () => {
    const [before = ''] = page.split('```yaml\n');
    expect(before.split('\n').length).toBeLessThanOrEqual(12);
  });

  test('names a profile that there is, and its own ConfigMap', () => {
    const source = userDataSourceOf(machineClass);
    expect(source && builtInProfile(source.name)).toBeDefined();
    expect(machineClass.metadata.annotations[annotations.userDataConfig]).toBe(
      configMap.metadata.name,
    );
  });
});

/** Of the first example: the others leave it out. */
const { kubernetes } = parse(
  parseAllDocuments(blocks[0] ?? '')[1]?.toJS().data['config.yaml'] ?? '',
);

/** `# rocky-9 on Azure`, and what differs from the first example. */
const examples = blocks.flatMap((text) => {
  const [, profile = '', provider = ''] = /^# (\S+) on (\S+)\n/.exec(text) ?? [];
  return profile === '' ? [] : [{ profile, provider, text }];
});

describe('the examples of systems', () => {
  test('have one of each that is supported', () => {
    const systems = profileNames().flatMap(
      (one) => builtInProfile(one)?.operatingSystem.name ?? [],
    );
    const shown = examples.map(({ profile }) => builtInProfile(profile)?.operatingSystem.name);
    expect(new Set(shown)).toEqual(new Set(systems));
  });

  test.each(examples)('$profile on $provider can be rendered', ({ profile, provider, text }) => {
    const whole = merge({ kubernetes }, parse(text), 'merge');
    const config = readConfig(stringify(whole), 'config.yaml');
    expect(config.faults).toBeUndefined();
    const found = builtInProfile(profile);
    if (!found || config.faults)
      throw new Error('there is no such profile, or the config has faults');
    const input = { profile: found, config: config.value, provider };
    expect(poolFaults(input)).toEqual([]);
    const { text: userData, format: form } = render(input, placeholderValues(config.value));
    expect(fitted(userData, { provider, format: form })).not.toHaveProperty('fault');
  });
});

test('the profile of the page is a profile', () => {
  const own = blocks.find((text) => text.includes('profile.yaml: |')) ?? '';
  const { data } = parse(own);
  expect(readProfile(data['profile.yaml'], 'profile.yaml').faults).toBeUndefined();
});

/** What stands for something else in the words of a table. */
const gaps =
  /\.\.\.|"[^"]*"|\(exit code .*\): |\d+|\b(?:X|Y|N|M|URL|FIELD|PROGRAM|VERSION|ARCHITECTURE)\b|:7:/;

test('what goes wrong is said in the words of the source', () => {
  const [, section = ''] = page.split('\n## What goes wrong\n');
  const [tables_ = ''] = section.split('\n## ');
  const firstCells = [...tables_.matchAll(/^\| (`.*?) +\| /gm)].map(([, cell = '']) => cell);
  const words = firstCells.flatMap((cell) => cell.match(/(?<=`)[^`]+(?=`)/g) ?? []);
  const parts = words.flatMap((text) => text.split(gaps)).map((part) => part.trim());
  const source = sourcesIn(['userdata', 'activities/user-data', 'activities/machine-class'])
    .map(readSource)
    .join('\n')
    .replaceAll('${annotations.userData}', annotations.userData)
    .replaceAll('${annotations.userDataConfig}', annotations.userDataConfig)
    .replaceAll('${name}', 'beforeJoin');
  const long = parts.filter((part) => part.length > 9);
  expect(long.length).toBeGreaterThan(12);
  expect(long.filter((part) => !source.includes(part))).toEqual([]);
});
