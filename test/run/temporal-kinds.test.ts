import { alsoOnPostgresql, isForPostgresql, onlyOn, runsOn } from './temporal-kinds.ts';
import { testFilesOf } from './test-files.ts';

const files = await testFilesOf('e2e');
const fileOf = (name: string): string[] =>
  files.filter((path) => path.endsWith(`/${name}.test.ts`));

test.each([...onlyOn.development, ...onlyOn.postgresql, ...alsoOnPostgresql])(
  '%s, whose Temporal server is named, is there',
  (name) => {
    expect(fileOf(name)).toHaveLength(1);
  },
);

const kindsOf = (path: string): boolean[] => [
  runsOn(path, 'development'),
  runsOn(path, 'postgresql'),
];

test('what knows one kind of server is left out on the other', () => {
  const [memory = ''] = fileOf('outage-memory');
  const [postgresql = ''] = fileOf('outage-postgresql');
  const [rollout = ''] = fileOf('rollout');
  expect(kindsOf(memory)).toEqual([true, false]);
  expect(kindsOf(postgresql)).toEqual([false, true]);
  expect(kindsOf(rollout)).toEqual([true, true]);
});

test('all that run by night on PostgreSQL can run on it', () => {
  const chosen = files.filter(isForPostgresql);
  expect(chosen.filter((path) => !runsOn(path, 'postgresql'))).toEqual([]);
  expect(chosen).toEqual(
    expect.arrayContaining([...fileOf('outage-postgresql'), ...fileOf('rollout')]),
  );
});
