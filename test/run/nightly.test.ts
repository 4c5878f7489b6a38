import { testFilesOf } from './test-files.ts';
import { isNightly, siblings } from './nightly.ts';

const files = await testFilesOf('e2e');
const fileOf = (name: string): string[] =>
  files.filter((path) => path.endsWith(`/${name}.test.ts`));

test.each(Object.entries(siblings))(
  '%s runs by night only: it is there, and so is %s, which npm run test:e2e runs',
  (name, sibling) => {
    expect(fileOf(name)).toHaveLength(1);
    expect(fileOf(sibling)).toHaveLength(1);
    expect(fileOf(sibling).some(isNightly)).toBe(false);
  },
);
