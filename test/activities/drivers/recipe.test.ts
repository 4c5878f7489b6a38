import { existsSync, readdirSync, readFileSync } from 'node:fs';

const drivers = new URL('../../../activities/drivers/', import.meta.url);

/** The files of every driver on the frame; docs/writing-a-driver.md says what each one holds. */
const recipe = [
  'driver.ts',
  'client.ts',
  'credentials.ts',
  'errors.ts',
  'provider-spec.ts',
  'provider-spec.schema.json',
  'validate.ts',
];

/** Of those that are older than the frame, beside the recipe. */
const olderRecipe = [
  'find.ts',
  'create.ts',
  'delete.ts',
  'list.ts',
  'console-output.ts',
  'error-mapping.ts',
  'tags.ts',
  'wait.ts',
];
const older = ['aws', 'azure'];

/** By provider and file: why the driver does without it. */
const exceptions: Record<string, Record<string, string>> = {
  digitalocean: { 'credentials.ts': 'a token is all: frame/token-client.ts' },
  hetzner: { 'credentials.ts': 'a token is all: frame/token-client.ts' },
  vsphere: { 'client.ts': 'SOAP has a folder of its own, vcenter' },
  virtual: {
    'credentials.ts': 'the virtual cloud asks for no credentials',
    'errors.ts': 'the virtual cloud answers with the codes of the contract',
    'provider-spec.schema.json': 'no class of MCM has such a spec; its types are written by hand',
  },
};

const providers = readdirSync(drivers, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'frame')
  .map(({ name }) => name);

test('the recipe covers the folders of the built-in drivers', () => {
  expect(providers).toEqual(expect.arrayContaining([...older, 'gcp', 'virtual']));
});

test.each(providers)(
  'the %s driver has the files of the recipe, but for its exceptions',
  (name) => {
    const files = older.includes(name) ? [...recipe, ...olderRecipe] : recipe;
    const missing = files.filter((file) => !existsSync(new URL(`${name}/${file}`, drivers)));
    expect(missing).toEqual(files.filter((file) => exceptions[name]?.[file] !== undefined));
  },
);

test('docs/writing-a-driver.md names every file of the recipe', () => {
  const page = new URL('../../../docs/writing-a-driver.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  expect(recipe.filter((file) => !text.includes(`\`${file}\``))).toEqual([]);
});
