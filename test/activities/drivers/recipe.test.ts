import { existsSync, readdirSync, readFileSync } from 'node:fs';

const drivers = new URL('../../../activities/drivers/', import.meta.url);

/** The files of every driver; docs/writing-a-driver.md says what each one holds. */
const recipe = [
  'driver.ts',
  'client.ts',
  'credentials.ts',
  'find.ts',
  'create.ts',
  'delete.ts',
  'list.ts',
  'console-output.ts',
  'volumes.ts',
  'errors.ts',
  'error-mapping.ts',
  'tags.ts',
  'provider-id.ts',
  'provider-spec.ts',
  'provider-spec.schema.json',
  'validate.ts',
  'wait.ts',
];

const isInDriver = 'the example of a driver reads as one piece, in driver.ts';

/** By provider and file: why the driver does without it. */
const exceptions: Record<string, Record<string, string>> = {
  virtual: {
    'credentials.ts': 'the virtual cloud asks for no credentials',
    'find.ts': isInDriver,
    'create.ts': isInDriver,
    'delete.ts': isInDriver,
    'list.ts': isInDriver,
    'console-output.ts': isInDriver,
    'volumes.ts': isInDriver,
    'tags.ts': isInDriver,
    'provider-id.ts': isInDriver,
    'errors.ts': 'the virtual cloud answers with the codes of the contract',
    'provider-spec.schema.json': 'no class of MCM has such a spec; its types are written by hand',
    'wait.ts': 'the virtual cloud has done what it has answered',
  },
};

const providers = readdirSync(drivers, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('the recipe covers the folders of all built-in drivers', () => {
  expect(providers.toSorted()).toEqual(['aws', 'azure', 'gcp', 'virtual']);
});

test.each(providers)(
  'the %s driver has the files of the recipe, but for its exceptions',
  (name) => {
    const missing = recipe.filter((file) => !existsSync(new URL(`${name}/${file}`, drivers)));
    expect(missing).toEqual(recipe.filter((file) => exceptions[name]?.[file] !== undefined));
  },
);

test('docs/writing-a-driver.md names every file of the recipe', () => {
  const page = new URL('../../../docs/writing-a-driver.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  expect(recipe.filter((file) => !text.includes(`\`${file}\``))).toEqual([]);
});
